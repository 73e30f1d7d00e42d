public import SluiceCore

/// What the loops need of an output, whatever flows through it.
public protocol AnyOutputPort: AnyObject {
    /// Discards what is staged and sends in `epoch` from now on.
    func adopt(_ epoch: Epoch)
    /// Sends an event after everything staged.
    func send(_ event: StreamEvent) async
    /// Hands everything staged to the channel, waiting for room.
    func push() async
    var hasStaged: Bool { get }
}

/// The sending end of a link, confined to its node.
///
/// Payloads are staged and go to the channel 32 or 128 KiB at a time; events push at once, the loops push before they wait for
/// input, and a payload never stays staged for more than 5 ms while more are sent.
public final class OutputPort<Payload: MediaPayload>: AnyOutputPort {
    public let name: String
    @usableFromInline let core: NodeCore
    /// Nil where the graph leaves the port unlinked: everything sent vanishes.
    @usableFromInline let channel: Channel<Payload>?
    /// Confined to the node like the port itself, so that no access needs a run-time check.
    @exclusivity(unchecked) @usableFromInline var staged: ItemQueue<Item<Payload>>
    /// Bytes sent to `staged` since the last push.
    @exclusivity(unchecked) @usableFromInline var stagedBytes = 0
    @usableFromInline let batchLimit: Int
    @exclusivity(unchecked) @usableFromInline var epoch = Epoch.first
    /// Coarse time of the last push.
    @exclusivity(unchecked) @usableFromInline var lastPush: Int64

    /// Longest time a payload stays staged while its node goes on sending.
    @usableFromInline static var holdLimit: Int64 { 5_000_000 }

    public init(name: String, core: NodeCore, channel: Channel<Payload>?, batchLimit: Int = 32) {
        self.name = name
        self.core = core
        self.channel = channel
        self.batchLimit = max(1, batchLimit)
        lastPush = core.clock.coarseNanoseconds
        staged = ItemQueue(minimumCapacity: self.batchLimit)
        channel?.attachProducer(core.waker)
    }

    public var isLinked: Bool { channel != nil }

    /// Whether what is sent would be discarded: a seek has begun another epoch that this node has not seen yet.
    public var isStale: Bool { channel.map { $0.epoch > epoch } ?? false }

    @inlinable public var hasStaged: Bool { !staged.isEmpty }

    /// Stages a payload; suspends only when a batch is due and the channel is full.
    ///
    /// Returns without sending when a flush has made the payload stale, or the channel is closed.
    @inlinable
    public func send(_ payload: Payload) async {
        stage(payload)
        if isPushDue { await push() }
    }

    /// Stages a payload without suspending; the caller looks at ``isPushDue`` and pushes.
    @inlinable
    public func stage(_ payload: Payload) {
        guard channel != nil else { return }
        stagedBytes &+= payload.byteCost
        staged.append(.payload(payload))
    }

    /// Stages an event without suspending; a push is due then.
    public func stage(_ event: StreamEvent) {
        guard channel != nil else { return }
        core.trace.add("\(name) sends \(event.name)")
        staged.append(.event(event))
        stagedBytes = batchBytes
    }

    /// Whether a batch is complete, or its first payload has waited long enough.
    @inlinable
    public var isPushDue: Bool {
        // The clock is read for every eighth payload: a node whose items take longer than 5/8 ms each pushes earlier
        // through its loop, which pushes whenever its input runs dry.
        staged.count >= batchLimit || stagedBytes >= batchBytes || (staged.count & 7 == 1 && isDue())
    }

    public func send(_ event: StreamEvent) async {
        stage(event)
        await push()
    }

    @inlinable
    public func push() async {
        guard let channel, !staged.isEmpty else { return }
        stagedBytes = 0
        while true {
            var moved = Moved()
            let result = channel.trySend(&staged, epoch: epoch, moved: &moved)
            if moved.items > 0 {
                core.metrics.countOut(items: moved.items, bytes: moved.bytes, position: moved.newest)
            }
            switch result {
            case .sent:
                lastPush = core.clock.coarseNanoseconds
                return
            case .stale, .closed: return
            case .full:
                if core.isCancelled {
                    staged.removeAll()
                    return
                }
                await waitForRoom()
            }
        }
    }

    /// Waits until the other end has taken everything that was pushed.
    ///
    /// For payloads so large that it matters whether one more lies in the link: the node begins the next one only when
    /// somebody works on the last.
    public func waitUntilTaken() async {
        guard let channel else { return }
        while !core.isCancelled, !channel.isTaken() { await waitForRoom() }
    }

    public func adopt(_ epoch: Epoch) {
        staged.removeAll()
        stagedBytes = 0
        self.epoch = epoch
    }

    @usableFromInline
    func isDue() -> Bool { core.clock.coarseNanoseconds &- lastPush >= Self.holdLimit }

    @usableFromInline
    func waitForRoom() async { await core.wait(for: .waitingForOutput) }
}
