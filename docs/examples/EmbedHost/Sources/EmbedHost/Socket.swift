import Glibc
import SluiceCore
import SluiceDataflow

/// A TCP socket; its blocking calls run on threads that may block.
final class Socket: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Listens on the loopback address; port 0 takes a free one.
    init(listeningOn port: UInt16) throws(NodeFailure) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var (yes, address) = (Int32(1), sockaddr_in())
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0, listen(descriptor, 64) == 0 else {
            throw NodeFailure(.transport, "port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    var port: UInt16 {
        var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// The next client, who has ten seconds for each step; nil after ``shutDown()``.
    func accept() async throws(NodeFailure) -> Socket? {
        try await BlockingThreads.shared.run { () throws(NodeFailure) -> Socket? in
            let client = Glibc.accept(self.descriptor, nil, nil)
            guard client >= 0 else { return nil }
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                setsockopt(client, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
            }
            return Socket(client)
        }
    }

    func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Everything before the first empty line, at most 32 KiB.
    func head() async -> String? {
        try? await BlockingThreads.shared.run { () throws(NodeFailure) -> String? in
            var (bytes, byte) = ([UInt8](), UInt8(0))
            while bytes.count < 32_768, !bytes.suffix(4).elementsEqual([13, 10, 13, 10]) {
                guard recv(self.descriptor, &byte, 1, 0) == 1 else { return nil }
                bytes.append(byte)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }

    /// Sends all of it, or gives up where the client is gone.
    func write(_ bytes: [UInt8]) async {
        try? await BlockingThreads.shared.run { () throws(NodeFailure) in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(self.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}
