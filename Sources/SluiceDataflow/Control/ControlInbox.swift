import SluiceCore
public import Synchronization

/// Control messages of one node, in order, at most 64.
///
/// A seek replaces an older one that was not taken yet, a new value of an option replaces the older value, so the
/// bound is never reached by repetition.
public final class ControlInbox: Sendable {
    public static let capacity = 64

    private let messages = Locked<[ControlMessage]>([])
    @usableFromInline let pending = Atomic<Bool>(false)

    public init() {}

    /// One load; true when ``take()`` would return something.
    @inlinable public var hasMessages: Bool { pending.load(ordering: .acquiring) }

    /// Returns false when the inbox is full and the message was refused.
    public func post(_ message: ControlMessage) -> Bool {
        messages.withLock { messages in
            messages.removeAll { Self.replaces(message, $0) }
            guard messages.count < Self.capacity else { return false }
            messages.append(message)
            pending.store(true, ordering: .releasing)
            return true
        }
    }

    public func take() -> ControlMessage? {
        messages.withLock { messages in
            guard !messages.isEmpty else { return nil }
            let first = messages.removeFirst()
            if messages.isEmpty { pending.store(false, ordering: .releasing) }
            return first
        }
    }

    private static func replaces(_ new: ControlMessage, _ old: ControlMessage) -> Bool {
        switch (new, old) {
        case (.seek, .seek), (.finish, .finish): true
        case (.setOption(let name, _), .setOption(let other, _)): name == other
        default: false
        }
    }
}
