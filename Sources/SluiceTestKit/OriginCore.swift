internal import Glibc
import SluiceCore

/// Sockets and threads of a ``FaultyOrigin``; the threads keep it alive, the origin's end stops them.
final class OriginCore: Sendable {
    struct State {
        var requests: [FaultyOrigin.Request] = []
        var open: Set<Int32> = []
        var threads = 0
        var accepted = 0
        var written = 0
        var isStopping = false
    }

    let body: [UInt8]
    let port: Int
    let plan: @Sendable (FaultyOrigin.Request) -> FaultyOrigin.Mode
    let state = Locked(State())
    private let listener: Int32

    init(body: [UInt8], plan: @escaping @Sendable (FaultyOrigin.Request) -> FaultyOrigin.Mode) throws {
        self.body = body
        self.plan = plan
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let ready = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 256) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.listener = listener
        guard ready else {
            Glibc.close(listener)
            throw NodeFailure(.exhausted, "cannot listen on the loopback interface")
        }
    }

    /// Runs `body` on a thread of its own, counted until it returns.
    func begin(_ body: @escaping @Sendable (OriginCore) -> Void) {
        state.withLock { $0.threads += 1 }
        let work = Unmanaged.passRetained(
            OriginWork { [self] in
                body(self)
                state.withLock { $0.threads -= 1 }
                state.signal()
            })
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { work in
                guard let work else { return nil }
                pthread_detach(pthread_self())
                Unmanaged<OriginWork>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        if code != 0 {
            work.release()
            state.withLock { $0.threads -= 1 }
        }
    }

    func accept() {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard descriptor >= 0 else { return }
            let isWelcome = state.withLock { (state: inout State) -> Bool in
                guard !state.isStopping, state.open.count < FaultyOrigin.connectionLimit else { return false }
                state.accepted += 1
                state.open.insert(descriptor)
                return true
            }
            guard isWelcome else {
                Glibc.close(descriptor)
                continue
            }
            begin { core in
                var on: Int32 = 1
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                OriginConnection(core: core, descriptor: descriptor).serve()
                core.state.withLock { _ = $0.open.remove(descriptor) }
                Glibc.close(descriptor)
            }
        }
    }

    func stop() {
        let first = state.withLock { (state: inout State) -> Bool in
            defer { state.isStopping = true }
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return !state.isStopping
        }
        guard first else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        _ = state.wait(until: .now + .seconds(5)) { $0.threads == 0 ? true : nil }
        Glibc.close(listener)
    }
}

private final class OriginWork: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
