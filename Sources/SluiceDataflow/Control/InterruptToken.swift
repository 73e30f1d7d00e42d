import SluiceCore
import Synchronization

/// Asks a blocking call to return now. Raised and lowered by the runner, looked at by whoever blocks.
public final class InterruptToken: Sendable {
    public typealias Handler = @Sendable (_ raised: Bool) -> Void

    private let raised = Atomic<Bool>(false)
    private let handlers = Locked<[Handler]>([])

    public init() {}

    public var isRaised: Bool { raised.load(ordering: .acquiring) }

    public func raise() { change(to: true) }
    public func lower() { change(to: false) }

    /// Calls `handler` on every change, on the thread that changes it, and at once when the token is raised already.
    ///
    /// Handlers must not block. They live as long as the token; a node registers one or two.
    public func onChange(_ handler: @escaping Handler) {
        handlers.withLock { $0.append(handler) }
        if isRaised { handler(true) }
    }

    private func change(to value: Bool) {
        guard raised.exchange(value, ordering: .acquiringAndReleasing) != value else { return }
        for handler in handlers.withLock({ $0 }) { handler(value) }
    }
}
