public import SluiceCore
import Synchronization

/// Asks a blocking call to return now. Raised by the runner, lowered by the source that takes the seek it was raised for.
///
/// A token remembers for which epoch it was raised, so that taking an older seek cannot lower it for a newer one.
public final class InterruptToken: Sendable {
    public typealias Handler = @Sendable (_ raised: Bool) -> Void

    private struct State {
        /// Nil while lowered.
        var raisedFor: Epoch?
        var handlers: [Handler] = []
    }

    private let raised = Atomic<Bool>(false)
    private let state = Locked(State())
    /// Held while handlers run: each is told the state of that moment, so the last call always tells the last state.
    private let calls = Locked(())

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    /// For ever: the node is to leave.
    public func raise() { raise(for: Epoch(.max)) }

    public func raise(for epoch: Epoch) {
        let changed = state.withLock { state in
            let wasRaised = state.raisedFor != nil
            state.raisedFor = max(state.raisedFor ?? epoch, epoch)
            raised.store(true, ordering: .releasing)
            return !wasRaised
        }
        if changed { tellHandlers() }
    }

    /// Lowers the token unless it was raised for a later epoch.
    public func lower(through epoch: Epoch) {
        let changed = state.withLock { state in
            guard let current = state.raisedFor, current <= epoch else { return false }
            state.raisedFor = nil
            raised.store(false, ordering: .releasing)
            return true
        }
        if changed { tellHandlers() }
    }

    /// Calls `handler` on every change, on the thread that changes it, and at once when the token is raised already.
    ///
    /// Handlers must not block, raise or lower. They live as long as the token; a node registers one or two.
    public func onChange(_ handler: @escaping Handler) {
        calls.withLock { _ in
            state.withLock { $0.handlers.append(handler) }
            if isRaised { handler(true) }
        }
    }

    private func tellHandlers() {
        calls.withLock { _ in
            let (handlers, now) = state.withLock { ($0.handlers, $0.raisedFor != nil) }
            for handler in handlers { handler(now) }
        }
    }
}
