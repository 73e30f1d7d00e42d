import Glibc

/// An HTTP/1.1 client on a plain blocking socket, for what real clients do wrong as well.
///
/// Its calls block for at most thirty seconds each, so they belong on ``onThread(_:)``.
final class RawClient {
    struct Answer: Equatable {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(name: String) -> String? { headers[name.lowercased()] }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private var descriptor: Int32
    private var buffer: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var timeout = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = Failure(description: "connect: \(String(cString: strerror(errno)))")
            end()
            throw error
        }
    }

    deinit { end() }

    func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(description: "send: \(String(cString: strerror(errno)))") }
            sent += count
        }
    }

    func request(_ method: String, _ target: String, _ headers: String..., body: String = "") throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
        for header in headers { text += header + "\r\n" }
        if !body.isEmpty { text += "Content-Length: \(body.utf8.count)\r\n" }
        try send(text + "\r\n" + body)
        return try answer(to: method)
    }

    /// Reads one answer; what follows stays for the next.
    func answer(to method: String = "GET") throws -> Answer {
        let head = try take(through: Array("\r\n\r\n".utf8))
        let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Failure(description: "no status line")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        if status == 100 { return try answer(to: method) }
        let length = Int(headers["content-length"] ?? "0") ?? 0
        let isBodiless = method == "HEAD" || status == 204 || status == 304
        return Answer(status: status, headers: headers, body: isBodiless ? [] : try take(length))
    }

    /// Whether the server closes, without another byte, before the timeout.
    func isClosedByServer() -> Bool {
        var byte: UInt8 = 0
        let count = recv(descriptor, &byte, 1, 0)
        return count == 0 || (count < 0 && errno == ECONNRESET)
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { try fill() }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private func take(through mark: [UInt8]) throws -> [UInt8] {
        var searched = 0
        while true {
            if buffer.count >= mark.count {
                for start in searched...(buffer.count - mark.count)
                where Array(buffer[start..<start + mark.count]) == mark {
                    return try take(start + mark.count)
                }
                searched = buffer.count - mark.count + 1
            }
            guard buffer.count < 65_536 else { throw Failure(description: "endless header") }
            try fill()
        }
    }

    private func fill() throws {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else {
            throw Failure(
                description: count == 0 ? "closed by the server" : "recv: \(String(cString: strerror(errno)))")
        }
        buffer += piece.prefix(count)
    }
}

private final class ThreadWork: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs blocking work on a thread of its own: the pool's threads belong to the responders under test.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    return try await withCheckedThrowingContinuation { continuation in
        let work = ThreadWork { continuation.resume(with: Swift.Result { try body() }) }
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<ThreadWork>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(work).toOpaque())
        precondition(result == 0, "no thread for the test's client")
        pthread_detach(thread)
    }
}
