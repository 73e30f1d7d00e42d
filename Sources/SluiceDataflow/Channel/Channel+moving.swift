public import SluiceCore

/// The two calls that every item passes, and what they do under the lock.
extension Channel {
    @inlinable
    func trySend(_ batch: inout ItemQueue<Item<Payload>>, epoch: Epoch, moved: inout Moved) -> SendResult {
        var wake: Waker?
        let result: SendResult = state.withLock { state in
            if state.closed {
                batch.removeAll()
                return .closed
            }
            if epoch < state.epoch {
                batch.removeAll()
                return .stale
            }
            if state.detached {
                batch.removeAll()
                return .sent
            }
            let wasEmpty = state.queue.isEmpty
            while !batch.isEmpty, admitFirst(of: &batch, &state, &moved) {}
            if wasEmpty, !state.queue.isEmpty { wake = state.consumer }
            if batch.isEmpty { return .sent }
            state.producerWaits = true
            state.fullCount &+= 1
            return .full
        }
        wake?.signal()
        return result
    }

    @inlinable
    func tryReceive(_ batch: inout ItemQueue<Item<Payload>>, limit: Int, moved: inout Moved) -> ReceiveResult {
        var wake: Waker?
        let result: ReceiveResult = state.withLock { state in
            if state.flushPending {
                state.flushPending = false
                return .flushed(state.epoch)
            }
            let count = min(limit, state.queue.count)
            if count <= 0 { return state.closed ? .closed : .empty }
            var bytes = 0
            var payloads = 0
            var taken = 0
            while taken < count, bytes < batchBytes {
                let item = state.queue.removeFirst()
                taken &+= 1
                if case .payload(let payload) = item {
                    bytes &+= payload.byteCost
                    payloads &+= 1
                    if spanLimit != nil, let position = payload.timelinePosition { state.headPosition = position }
                }
                batch.append(item)
            }
            state.bytes &-= bytes
            state.payloads &-= payloads
            moved.bytes = bytes
            moved.items = taken
            if spanLimit != nil { moveHead(&state) }
            if state.producerWaits, hasRoom(state) {
                state.producerWaits = false
                wake = state.producer
            }
            return .received(taken)
        }
        wake?.signal()
        return result
    }

    // MARK: - Under the lock

    /// Moves the first item of `batch` in, or makes room by the overflow policy; false when the producer has to wait.
    @inlinable
    func admitFirst(of batch: inout ItemQueue<Item<Payload>>, _ state: inout State, _ moved: inout Moved) -> Bool {
        guard case .payload(let payload) = batch[0] else { return admitFirstEvent(of: &batch, &state, &moved) }
        let cost = payload.byteCost
        let position = spanLimit == nil ? nil : payload.timelinePosition
        if !fits(cost, position, state) {
            if overflow == .suspend { return false }
            guard overflow == .dropOldest, makeRoom(cost, position, &state) else {
                _ = batch.removeFirst()
                state.dropped &+= 1
                return true
            }
        }
        state.bytes &+= cost
        state.payloads &+= 1
        if state.bytes > state.peakBytes { state.peakBytes = state.bytes }
        if let position {
            if state.headPosition == nil { state.headPosition = position }
            state.tailPosition = position
            moved.newest = position
        }
        moved.items &+= 1
        moved.bytes &+= cost
        state.queue.append(batch.removeFirst())
        return true
    }

    /// Behind droppable payloads events never wait and are kept; only gaps, which are hints, go with the payloads.
    @usableFromInline
    func admitFirstEvent(
        of batch: inout ItemQueue<Item<Payload>>, _ state: inout State, _ moved: inout Moved
    ) -> Bool {
        if state.queue.count >= limits.items {
            if overflow == .suspend { return false }
            if case .event(.gap) = batch[0] {
                _ = batch.removeFirst()
                return true
            }
        }
        moved.items &+= 1
        state.queue.append(batch.removeFirst())
        return true
    }

    /// Drops the oldest payloads until one more fits; false when no payload is left to drop.
    @usableFromInline
    func makeRoom(_ cost: Int, _ position: Int64?, _ state: inout State) -> Bool {
        repeat {
            guard dropOldest(&state) else { return false }
        } while !fits(cost, position, state)
        return true
    }

    /// Whether one more payload keeps every bound; a channel without payloads takes anything.
    @inlinable
    func fits(_ cost: Int, _ position: Int64?, _ state: borrowing State) -> Bool {
        if state.queue.count >= limits.items { return false }
        if state.payloads == 0 { return true }
        if state.bytes &+ cost > limits.bytes { return false }
        if let spanLimit, let position, let head = state.headPosition {
            return distance(from: head, to: position) <= spanLimit
        }
        return true
    }

    /// The producer is woken when a batch fits: 32 items or an eighth of that bound, half of the bytes, and the span is not
    /// exceeded. A waiting thread costs more than what it could have sent sooner.
    @inlinable
    func hasRoom(_ state: borrowing State) -> Bool {
        if state.payloads == 0, state.queue.count < limits.items { return true }
        if limits.items - state.queue.count < min(32, max(1, limits.items / 8)) { return false }
        if limits.bytes &- state.bytes < max(1, limits.bytes / 2) { return false }
        if let spanLimit { return state.span < spanLimit }
        return true
    }

    /// After items left: the span begins at the first payload that is still queued.
    @inlinable
    func moveHead(_ state: inout State) {
        if state.payloads == 0 {
            state.headPosition = nil
            state.tailPosition = nil
        } else if case .payload(let payload) = state.queue[0], let position = payload.timelinePosition {
            state.headPosition = position
        }
    }

    func dropOldest(_ state: inout State) -> Bool {
        let oldest = state.queue.removeFirst { item in
            if case .payload = item { true } else { false }
        }
        guard case .payload(let payload)? = oldest else { return false }
        state.bytes -= payload.byteCost
        state.payloads -= 1
        state.dropped &+= 1
        if spanLimit != nil {
            if let position = payload.timelinePosition { state.headPosition = position }
            moveHead(&state)
        }
        return true
    }
}
