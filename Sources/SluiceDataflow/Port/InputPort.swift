public import SluiceCore

/// What an input has for its node.
public enum Arrival<Payload: MediaPayload>: Sendable {
    case payload(Payload)
    indirect case event(StreamEvent)
    /// The epoch changed: everything before is discarded.
    case flushed(Epoch)
    /// Nothing more will ever come.
    case closed
    /// The task was cancelled.
    case cancelled
    /// A control message waits in the inbox.
    case control
    /// Nothing now; only ``InputPort/poll()`` says so.
    case nothing
}

/// The receiving end of a link, confined to its node.
///
/// It takes up to 32 items or 128 KiB from the channel under one lock, and checks the channel's epoch before it hands out each, so
/// that no stale item reaches the node after a flush.
public final class InputPort<Payload: MediaPayload> {
    public let name: String
    @usableFromInline let core: NodeCore
    @usableFromInline let channel: Channel<Payload>
    /// Confined to the node like the port itself, so that no access needs a run-time check.
    @exclusivity(unchecked) @usableFromInline var batch: ItemQueue<Item<Payload>>
    @usableFromInline let batchLimit: Int
    /// Epoch of the items in `batch`.
    @inlinable public var epoch: Epoch { adopted }
    @exclusivity(unchecked) @usableFromInline var adopted = Epoch.first

    public init(name: String, core: NodeCore, channel: Channel<Payload>, batchLimit: Int = 32) {
        self.name = name
        self.core = core
        self.channel = channel
        self.batchLimit = max(1, batchLimit)
        batch = ItemQueue(minimumCapacity: self.batchLimit)
        channel.attachConsumer(core.waker)
    }

    /// Whether a flush has made everything stale that was handed out so far; ``poll()`` will say so.
    @inlinable public var isStale: Bool { channel.epoch != adopted }

    /// The next thing, without waiting. Never `.control` or `.cancelled`.
    @inlinable
    public func poll() -> Arrival<Payload> {
        if channel.epoch != adopted { batch.removeAll() }
        if batch.isEmpty, let signal = refill() { return signal }
        switch batch.removeFirst() {
        case .payload(let payload): return .payload(payload)
        case .event(let event): return .event(event)
        }
    }

    /// The next thing, waiting for it if need be. Control comes before payloads.
    @inlinable
    public func next() async -> Arrival<Payload> {
        while true {
            if core.isCancelled { return .cancelled }
            if core.inbox.hasMessages { return .control }
            let arrival = poll()
            guard case .nothing = arrival else { return arrival }
            await waitForInput()
        }
    }

    @usableFromInline
    func waitForInput() async { await core.wait(for: .waitingForInput) }

    @usableFromInline
    func adopt(_ newest: Epoch) {
        adopted = newest
        core.metrics.setEpoch(newest)
        core.trace.add("\(name) flushed \(newest)")
    }

    /// Nil when `batch` has items now; else what to tell the node.
    @inlinable
    func refill() -> Arrival<Payload>? {
        var moved = Moved()
        switch channel.tryReceive(&batch, limit: batchLimit, moved: &moved) {
        case .received:
            core.metrics.countIn(items: moved.items, bytes: moved.bytes)
            return nil
        case .flushed(let newest):
            // Whenever the channel's epoch differs from ours, its next answer is this one.
            adopt(newest)
            return .flushed(newest)
        case .closed: return .closed
        case .empty: return .nothing
        }
    }
}
