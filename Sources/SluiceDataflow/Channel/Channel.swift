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

/// A bounded queue between exactly one producer and one consumer.
///
/// The channel never suspends anybody: it answers at once and signals a ``Waker``. Waiting is the node's business.
public final class Channel<Payload: MediaPayload>: AnyChannel {
    @usableFromInline
    struct State {
        @usableFromInline var queue: RingBuffer<Item<Payload>>
        @usableFromInline var level = ChannelLevel()
        /// The consumer has not been told of the current epoch.
        @usableFromInline var flushPending = false
        /// The producer found the channel full and waits for room.
        @usableFromInline var producerWaits = false
        @usableFromInline var detached = false
        /// Position of the first queued payload that has one, in nanoseconds.
        @usableFromInline var headPosition: Int64?
        @usableFromInline var consumer: Waker?
        @usableFromInline var producer: Waker?

        @usableFromInline init(queue: RingBuffer<Item<Payload>>) { self.queue = queue }
    }

    public let limits: ChannelLimits
    public let overflow: OverflowPolicy
    @usableFromInline let spanLimit: Int64?
    @usableFromInline let state: Locked<State>
    /// Copy of the epoch for a check without the lock.
    @usableFromInline let epochNumber = Atomic<UInt64>(0)

    public init(limits: ChannelLimits = ChannelLimits(), overflow: OverflowPolicy = .suspend) {
        self.limits = limits
        self.overflow = overflow
        spanLimit = limits.span?.nanoseconds
        state = Locked(State(queue: RingBuffer(minimumCapacity: 64)))
    }

    public var payloadKind: PayloadKind { Payload.kind }
    public var level: ChannelLevel { state.withLock { $0.level } }
    @inlinable public var epoch: Epoch { Epoch(epochNumber.load(ordering: .acquiring)) }

    public func attachProducer(_ waker: Waker) { state.withLock { $0.producer = waker } }
    public func attachConsumer(_ waker: Waker) { state.withLock { $0.consumer = waker } }

    /// Moves as much of `batch` into the queue as the limits allow, in order.
    ///
    /// What was taken is gone from `batch`; on `.stale` and `.closed` it is empty afterwards.
    @inlinable
    public func trySend(contentsOf batch: inout [Item<Payload>], epoch: Epoch) -> SendResult {
        var wake: Waker?
        let result: SendResult = state.withLock { state in
            if state.level.closed {
                batch.removeAll(keepingCapacity: true)
                return .closed
            }
            if epoch < state.level.epoch {
                batch.removeAll(keepingCapacity: true)
                return .stale
            }
            if state.detached {
                batch.removeAll(keepingCapacity: true)
                return .sent
            }
            let wasEmpty = state.level.items == 0
            var taken = 0
            while taken < batch.count, admit(batch[taken], &state) { taken += 1 }
            if wasEmpty, state.level.items > 0 { wake = state.consumer }
            if taken == batch.count {
                batch.removeAll(keepingCapacity: true)
                return .sent
            }
            batch.removeFirst(taken)
            state.producerWaits = true
            state.level.fullCount += 1
            return .full
        }
        wake?.signal()
        return result
    }

    /// Moves up to `limit` items to the end of `batch`.
    @inlinable
    public func tryReceive(into batch: inout [Item<Payload>], limit: Int) -> ReceiveResult {
        var wake: Waker?
        let result: ReceiveResult = state.withLock { state in
            if state.flushPending {
                state.flushPending = false
                return .flushed(state.level.epoch)
            }
            var moved = 0
            var lastTaken: Int64?
            while moved < limit, let item = state.queue.popFirst() {
                state.level.items -= 1
                if case .payload(let payload) = item {
                    state.level.bytes -= payload.byteCost
                    if spanLimit != nil { lastTaken = payload.timelinePosition ?? lastTaken }
                }
                batch.append(item)
                moved += 1
            }
            if moved > 0 {
                if spanLimit != nil { moveHead(&state, lastTaken: lastTaken) }
                if state.producerWaits, hasRoom(state) {
                    state.producerWaits = false
                    wake = state.producer
                }
                return .received(moved)
            }
            return state.level.closed ? .closed : .empty
        }
        wake?.signal()
        return result
    }

    public func flush(to epoch: Epoch) {
        let wakers: (Waker?, Waker?) = state.withLock { state in
            guard epoch > state.level.epoch else { return (nil, nil) }
            state.queue.removeAll()
            state.level.items = 0
            state.level.bytes = 0
            state.level.span = 0
            state.headPosition = nil
            state.level.epoch = epoch
            state.flushPending = true
            state.producerWaits = false
            epochNumber.store(epoch.number, ordering: .releasing)
            return (state.producer, state.consumer)
        }
        wakers.0?.signal()
        wakers.1?.signal()
    }

    public func close() {
        let wakers: (Waker?, Waker?) = state.withLock { state in
            state.level.closed = true
            return (state.producer, state.consumer)
        }
        wakers.0?.signal()
        wakers.1?.signal()
    }

    public func detachConsumer() {
        let waker: Waker? = state.withLock { state in
            state.detached = true
            state.queue.removeAll()
            state.level.items = 0
            state.level.bytes = 0
            state.level.span = 0
            state.headPosition = nil
            state.producerWaits = false
            return state.producer
        }
        waker?.signal()
    }

    // MARK: - under the lock

    /// Puts `item` in, or makes room by the overflow policy; false when the producer has to wait.
    @inlinable
    func admit(_ item: Item<Payload>, _ state: inout State) -> Bool {
        guard case .payload(let payload) = item else {
            // Events are never dropped; behind droppable payloads they never wait either.
            if overflow == .suspend, state.level.items >= limits.items { return false }
            append(item, &state)
            return true
        }
        let cost = payload.byteCost
        let position = spanLimit == nil ? nil : payload.timelinePosition
        if !fits(cost, position, state) {
            switch overflow {
            case .suspend: return false
            case .dropNewest:
                state.level.dropped += 1
                return true
            case .dropOldest:
                repeat {
                    guard dropOldest(&state) else {
                        state.level.dropped += 1
                        return true
                    }
                } while !fits(cost, position, state)
            }
        }
        state.level.bytes += cost
        if state.level.bytes > state.level.peakBytes { state.level.peakBytes = state.level.bytes }
        if let position {
            if state.headPosition == nil { state.headPosition = position }
            state.level.span = max(0, position - (state.headPosition ?? position))
        }
        append(item, &state)
        return true
    }

    @inlinable
    func append(_ item: Item<Payload>, _ state: inout State) {
        state.queue.append(item)
        state.level.items += 1
    }

    /// Whether one more payload keeps every bound; an empty channel takes anything.
    @inlinable
    func fits(_ cost: Int, _ position: Int64?, _ state: State) -> Bool {
        if state.level.items >= limits.items { return false }
        if state.level.bytes == 0 { return true }
        if state.level.bytes + cost > limits.bytes { return false }
        if let spanLimit, let position, let head = state.headPosition, position - head > spanLimit { return false }
        return true
    }

    /// The producer is woken when a batch fits: 32 items or an eighth of the bound, and the span is not exceeded.
    @inlinable
    func hasRoom(_ state: State) -> Bool {
        if state.level.items == 0 { return true }
        if limits.items - state.level.items < min(32, max(1, limits.items / 8)) { return false }
        if limits.bytes - state.level.bytes < max(1, limits.bytes / 8) { return false }
        if let spanLimit { return state.level.span < spanLimit }
        return true
    }

    /// After items left: the span now begins at the first payload that is still queued.
    @inlinable
    func moveHead(_ state: inout State, lastTaken: Int64?) {
        if case .payload(let payload)? = state.queue.first, let position = payload.timelinePosition {
            state.level.span = max(0, state.level.span - (position - (state.headPosition ?? position)))
            state.headPosition = position
        } else if state.queue.isEmpty {
            state.level.span = 0
            state.headPosition = nil
        } else if let lastTaken, let head = state.headPosition {
            state.level.span = max(0, state.level.span - (lastTaken - head))
            state.headPosition = lastTaken
        }
    }

    @usableFromInline
    func dropOldest(_ state: inout State) -> Bool {
        let oldest = state.queue.removeFirst { item in
            if case .payload = item { true } else { false }
        }
        guard case .payload(let payload)? = oldest else { return false }
        state.level.items -= 1
        state.level.bytes -= payload.byteCost
        state.level.dropped += 1
        if spanLimit != nil { moveHead(&state, lastTaken: payload.timelinePosition) }
        return true
    }
}
