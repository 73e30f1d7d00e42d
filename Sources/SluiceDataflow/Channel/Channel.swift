public import SluiceCore
public import Synchronization

public enum SendResult: Sendable, Hashable {
    /// Everything in the batch was taken.
    case sent
    /// The rest of the batch is still in it; the producer's waker fires when room appears.
    case full
    /// The batch belongs to an older epoch and was discarded.
    case stale
    case closed
}

public enum ReceiveResult: Sendable, Hashable {
    case received(Int)
    case empty
    /// First look after a flush; nothing of this epoch has been handed out yet.
    case flushed(Epoch)
    case closed
}

/// What a call moved: for the counters of the port that made it.
@usableFromInline
struct Moved {
    @usableFromInline var items = 0
    @usableFromInline var bytes = 0
    /// Position of the newest payload that has one, in nanoseconds.
    @usableFromInline var newest: Int64?
    @inlinable init() {}
}

/// A bounded queue between exactly one producer and one consumer.
///
/// The channel never suspends anybody: it answers at once and signals a ``Waker``. Waiting is the node's business.
public final class Channel<Payload: MediaPayload>: AnyChannel {
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline var queue: ItemQueue<Item<Payload>>
        /// Payloads among the queued items.
        @usableFromInline var payloads = 0
        @usableFromInline var bytes = 0
        @usableFromInline var peakBytes = 0
        @usableFromInline var dropped: UInt64 = 0
        @usableFromInline var fullCount: UInt64 = 0
        @usableFromInline var epoch = Epoch.first
        @usableFromInline var closed = false
        /// The consumer has not been told of the current epoch.
        @usableFromInline var flushPending = false
        /// The producer found the channel full and waits for room.
        @usableFromInline var producerWaits = false
        @usableFromInline var detached = false
        /// Positions of the first and the last queued payload that have one, in nanoseconds. The first may be that of
        /// a payload that has just left, while events or payloads without time are in front.
        @usableFromInline var headPosition: Int64?
        @usableFromInline var tailPosition: Int64?
        @usableFromInline var consumer: Waker?
        @usableFromInline var producer: Waker?

        @usableFromInline init(capacity: Int) { queue = ItemQueue(minimumCapacity: capacity) }

        /// Nanoseconds between first and last payload.
        @inlinable var span: Int64 {
            guard let headPosition, let tailPosition else { return 0 }
            return distance(from: headPosition, to: tailPosition)
        }
    }

    public let limits: ChannelLimits
    public let overflow: OverflowPolicy
    @usableFromInline let spanLimit: Int64?
    @usableFromInline let state: Locked<State>
    /// Copy of the epoch for a check without the lock.
    @usableFromInline let epochNumber = Atomic<UInt64>(0)

    /// - Parameter limits: negative bounds count as 0, and an item bound below 1 as 1.
    public init(limits: ChannelLimits = ChannelLimits(), overflow: OverflowPolicy = .suspend) {
        var limits = limits
        limits.items = max(1, limits.items)
        limits.bytes = max(0, limits.bytes)
        self.limits = limits
        self.overflow = overflow
        spanLimit = limits.span.map { max(0, $0.nanoseconds) }
        state = Locked(State(capacity: 64))
    }

    public var payloadKind: PayloadKind { Payload.kind }

    public var level: ChannelLevel {
        state.withLock { state in
            var level = ChannelLevel()
            level.items = state.queue.count
            level.bytes = state.bytes
            level.peakBytes = state.peakBytes
            level.span = state.span
            level.dropped = state.dropped
            level.fullCount = state.fullCount
            level.epoch = state.epoch
            level.closed = state.closed
            return level
        }
    }

    @inlinable public var epoch: Epoch { Epoch(epochNumber.load(ordering: .acquiring)) }

    public func attachProducer(_ waker: Waker) { state.withLock { $0.producer = waker } }
    public func attachConsumer(_ waker: Waker) { state.withLock { $0.consumer = waker } }

    /// Moves as much of `batch` into the queue as the limits allow, in order.
    ///
    /// What was taken is gone from `batch`; on `.stale` and `.closed` it is empty afterwards.
    public func trySend(contentsOf batch: inout [Item<Payload>], epoch: Epoch) -> SendResult {
        var queue = ItemQueue<Item<Payload>>(minimumCapacity: batch.count)
        for item in batch { queue.append(item) }
        var moved = Moved()
        let result = trySend(&queue, epoch: epoch, moved: &moved)
        batch.removeFirst(batch.count - queue.count)
        return result
    }

    /// Moves up to `limit` items to the end of `batch`.
    public func tryReceive(into batch: inout [Item<Payload>], limit: Int) -> ReceiveResult {
        var queue = ItemQueue<Item<Payload>>(minimumCapacity: 1)
        var moved = Moved()
        let result = tryReceive(&queue, limit: limit, moved: &moved)
        while let item = queue.popFirst() { batch.append(item) }
        return result
    }

    /// Whether the consumer has taken everything; where not, the producer's waker fires when something was taken.
    func isTaken() -> Bool {
        state.withLock { state in
            if state.queue.isEmpty || state.closed || state.detached { return true }
            state.producerWaits = true
            return false
        }
    }

    public func flush(to epoch: Epoch) {
        let wakers: (Waker?, Waker?) = state.withLock { state in
            guard epoch > state.epoch else { return (nil, nil) }
            empty(&state)
            state.epoch = epoch
            state.flushPending = true
            epochNumber.store(epoch.number, ordering: .releasing)
            return (state.producer, state.consumer)
        }
        wakers.0?.signal()
        wakers.1?.signal()
    }

    public func close() {
        let wakers: (Waker?, Waker?) = state.withLock { state in
            state.closed = true
            return (state.producer, state.consumer)
        }
        wakers.0?.signal()
        wakers.1?.signal()
    }

    public func detachConsumer() {
        let waker: Waker? = state.withLock { state in
            state.detached = true
            empty(&state)
            return state.producer
        }
        waker?.signal()
    }

    private func empty(_ state: inout State) {
        state.queue.removeAll()
        state.payloads = 0
        state.bytes = 0
        state.headPosition = nil
        state.tailPosition = nil
        state.producerWaits = false
    }
}

/// How far `later` is ahead of `earlier`; 0 where it is not, and saturating.
@inlinable
func distance(from earlier: Int64, to later: Int64) -> Int64 {
    if later <= earlier { return 0 }
    let (difference, overflow) = later.subtractingReportingOverflow(earlier)
    return overflow ? .max : difference
}
