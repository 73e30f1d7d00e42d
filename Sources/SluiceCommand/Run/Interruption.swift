import SluiceCore

/// Tells a command that the user or the service manager wants it to end.
///
/// The command's task is cancelled as well; this is for things that are not tasks, such as a server to stop.
public final class Interruption: Sendable {
    private struct State {
        var isRaised = false
        var handlers: [@Sendable () -> Void] = []
    }
    private let state = Locked(State())

    public init() {}

    public var isRaised: Bool { state.withLock { $0.isRaised } }

    /// Runs `handler` once, at the interruption, or now if that was before. Any thread; it must not block.
    public func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isRaised { state.handlers.append(handler) }
            return state.isRaised
        }
        if isLate { handler() }
    }

    /// Returns at the interruption, or when the surrounding task is cancelled.
    public func wait() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        onInterrupt { continuation.finish() }
        for await _ in stream {}
    }

    public func raise() {
        let handlers = state.withLock { state in
            state.isRaised = true
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
