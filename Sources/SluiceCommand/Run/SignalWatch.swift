import Glibc

/// Waits for SIGINT, SIGTERM and SIGHUP on a thread of its own, so that handlers may do anything.
enum SignalWatch {
    private final class Handler: Sendable {
        let body: @Sendable (Int32) -> Void
        init(_ body: @escaping @Sendable (Int32) -> Void) { self.body = body }
    }

    /// Blocks these signals in this thread and all it starts later, and calls `body` for each that comes.
    ///
    /// Must be called before any other thread exists: a thread that does not block them would die of them.
    static func start(_ body: @escaping @Sendable (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        var set = watched()
        pthread_sigmask(SIG_BLOCK, &set, nil)
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Handler(body)).toOpaque()
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let handler = Unmanaged<Handler>.fromOpaque(context).takeRetainedValue()
                var set = SignalWatch.watched()
                while true {
                    var number: Int32 = 0
                    if sigwait(&set, &number) == 0 { handler.body(number) }
                }
            }, context)
        if result == 0 {
            pthread_detach(thread)
        } else {
            // Without the thread the default action (ending at once) is the better one.
            Unmanaged<Handler>.fromOpaque(context).release()
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
        }
    }

    private static func watched() -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        // Under nohup it stays ignored.
        var action = sigaction()
        sigaction(SIGHUP, nil, &action)
        if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 { sigaddset(&set, SIGHUP) }
        return set
    }
}
