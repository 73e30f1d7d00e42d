internal import CCurl
internal import CMediaShim
internal import Glibc
import SluiceCore

/// The one network thread of the process: every HTTP transfer runs on it, whatever the number of sources.
///
/// It starts with the first transfer and ends after 30 idle seconds, which also closes kept connections. Nothing here
/// blocks its caller, so any thread may call, the cooperative pool included.
final class CurlLoop: Sendable {
    /// Transfers running at once; further ones wait for a place, first come first served.
    static let maximumActive = 512
    /// Transfers waiting for a place, a slot of their origin's budget or their delay; more are refused.
    static let maximumWaiting = 4096

    static let shared = CurlLoop()

    enum Command {
        case start(CurlTransfer.Order)
        case resume(TransferID)
        case cancel(TransferID)
    }

    struct Shared {
        var commands: [Command] = []
        var nextID: TransferID = 1
        var isRunning = false
        var isStopping = false
        /// Set by the thread while it runs, so that others can wake it.
        var multi: UnsafeMutableRawPointer?
        var activeCount = 0
        var waitingCount = 0
    }

    let shared = Locked(Shared())
    let clock: any TimeSource
    let idleTimeout: Duration

    init(clock: any TimeSource = SystemTimeSource(), idleTimeout: Duration = .seconds(30)) {
        self.clock = clock
        self.idleTimeout = idleTimeout
    }

    /// Transfers running and waiting, for metrics and tests.
    var load: (active: Int, waiting: Int) { shared.withLock { ($0.activeCount, $0.waitingCount) } }

    /// A fresh name; the transfer begins with ``start(_:_:receiver:)``.
    func reserveID() -> TransferID {
        shared.withLock { shared in
            defer { shared.nextID &+= 1 }
            return shared.nextID
        }
    }

    /// False when the transfer cannot even be queued; then `receiver` hears nothing of it.
    ///
    /// The receiver is held weakly: once it is gone its transfer ends at the next byte or watchdog.
    func start(_ id: TransferID, _ request: TransferRequest, receiver: any TransferReceiver) -> Bool {
        post(.start(CurlTransfer.Order(id: id, request: request, receiver: receiver)))
    }

    func resume(_ id: TransferID) { _ = post(.resume(id)) }

    func cancel(_ id: TransferID) { _ = post(.cancel(id)) }

    private func post(_ command: Command) -> Bool {
        guard CurlLoop.isLibraryReady else { return false }
        return shared.withLock { shared in
            guard !shared.isStopping else { return false }
            if case .start = command, shared.waitingCount + shared.commands.count >= Self.maximumWaiting {
                return false
            }
            shared.commands.append(command)
            if !shared.isRunning {
                guard spawn() else {
                    shared.commands.removeLast()
                    return false
                }
                shared.isRunning = true
            } else if let multi = shared.multi {
                curl_multi_wakeup(multi)
            }
            return true
        }
    }

    /// Ends the thread and waits for it, at most two seconds. Nothing can be started afterwards.
    func stop() {
        shared.withLock { shared in
            shared.isStopping = true
            if let multi = shared.multi { curl_multi_wakeup(multi) }
        }
        let deadline = ContinuousClock.now + .seconds(2)
        _ = shared.wait(until: deadline) { $0.isRunning ? nil : true }
    }

    private func spawn() -> Bool {
        // Signals belong to the host's threads; a TLS write to a closed peer would raise SIGPIPE here.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let box = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, &attributes,
            { box in
                guard let box else { return nil }
                sluice_curl_name_thread("sluice-net")
                CurlEngine.run(for: Unmanaged<CurlLoop>.fromOpaque(box).takeRetainedValue())
                return nil
            }, box.toOpaque())
        if code != 0 { box.release() }
        return code == 0
    }

    /// libcurl is set up once. The exit handler is registered behind those of the TLS library and so runs before them:
    /// the thread is gone when they free what it uses.
    private static let isLibraryReady: Bool = {
        guard sluice_curl_global_init() == CURLE_OK else { return false }
        atexit { CurlLoop.shared.stop() }
        return true
    }()
}
