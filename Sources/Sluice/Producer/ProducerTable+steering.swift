import SluiceCore
import SluiceDataflow
import SluiceGraph

extension ProducerTable {
    private enum Step {
        case none
        case move(ProducerRun, slot: Int, index: Int)
        case wake(ProducerRun)
        case start
        case refuse(WantTable.Want)
    }

    /// Finds a producer for a want: one on its way there, one to be moved, a new one; else the want waits for one.
    func steer(_ id: UInt64) {
        var mayStart = true
        while true {
            switch state.withLock({ step(for: id, mayStart: mayStart, &$0) }) {
            case .none: return
            case .wake(let run): return run.wake()
            case .move(let run, let slot, let index):
                Task { await self.move(run, slot, to: index) }
                return
            case .refuse(let want):
                return want.continuation.resume(returning: .refused("as many graphs run as may"))
            case .start:
                guard budget.take(for: self) else {
                    mayStart = false
                    continue
                }
                if let slot = state.withLock({ addSlot(for: id, &$0) }) { return launch(slot) }
                // The want has gone, or others were quicker.
                budget.give()
            }
        }
    }

    private func step(for id: UInt64, mayStart: Bool, _ state: inout State) -> Step {
        guard let want = state.wants[id], want.producer == nil, case .media(let index) = want.key.role else {
            return .none
        }
        let now = settings.clock.now
        let candidates = state.slots.values.map { slot in
            ProducerRule.Candidate(
                id: slot.id, next: slot.next(want.key.rendition), waits: state.wants.count(of: slot.id),
                unused: slot.lastServed.map { $0.duration(to: now) })
        }
        switch settings.rule.decide(wanted: index, among: candidates, mayStart: mayStart && !state.isStopped) {
        case .wait(let slot):
            state.wants.assign(id, to: slot)
            state.slots[slot]?.ask(for: index)
            return state.slots[slot]?.run.map { .wake($0) } ?? .none
        case .move(let slot):
            state.wants.assign(id, to: slot)
            state.slots[slot]?.move(to: index)
            // One that is still being built looks for itself where to begin.
            return state.slots[slot]?.run.map { .move($0, slot: slot, index: index) } ?? .none
        case .start: return .start
        case .queue: return .none
        case .refuse: return state.wants.remove(id).map { .refuse($0) } ?? .none
        }
    }

    private func addSlot(for id: UInt64, _ state: inout State) -> Int? {
        guard let want = state.wants[id], want.producer == nil, case .media(let index) = want.key.role,
            state.slots.count < settings.rule.limit, !state.isStopped
        else { return nil }
        state.lastSlot += 1
        state.slots[state.lastSlot] = ProducerSlot(
            id: state.lastSlot, anchor: index, reach: settings.rule.reach)
        state.wants.assign(id, to: state.lastSlot)
        return state.lastSlot
    }

    /// Somebody is about to ask: a graph opens the source and makes the first segments, unless one runs already.
    func warm() {
        guard state.withLock({ $0.slots.isEmpty && !$0.isStopped }), budget.take(for: self) else { return }
        let slot: Int? = state.withLock { state in
            guard state.slots.isEmpty, !state.isStopped else { return nil }
            state.lastUse = settings.clock.now
            state.lastSlot += 1
            state.slots[state.lastSlot] = ProducerSlot(id: state.lastSlot, anchor: 0, reach: settings.rule.reach)
            return state.lastSlot
        }
        if let slot { launch(slot) } else { budget.give() }
    }

    private func launch(_ slot: Int) {
        let run: ProducerRun
        do { run = try ProducerRun(settings, destination: SlotDestination(table: self, slot: slot)) } catch {
            return runEnded(slot, error as? NodeFailure ?? NodeFailure(.internalInvariant, "\(error)"))
        }
        let index: Int? = state.withLock { state in
            state.slots[slot]?.run = run
            return state.slots[slot]?.anchor
        }
        guard let index else { return }
        Task {
            let failure = await run.run()
            self.runEnded(slot, failure)
        }
        if index > 0 { Task { await self.move(run, slot, to: index) } }
    }

    private func move(_ run: ProducerRun, _ slot: Int, to index: Int) async {
        let isWanted = state.withLock { state in
            // Only the newest want decides; a move that another one overtook is superseded by the runner.
            guard state.slots[slot]?.anchor == index else { return false }
            if state.wants.count(of: slot) > 0 { return true }
            // Whoever asked for it has gone before anything was done.
            state.slots[slot]?.halt()
            return false
        }
        guard isWanted else { return }
        let outcome = await run.runner.seek(to: .segment(index))
        // Of a run that is over its own end tells why, and what waits for it is its end's business.
        if case .rejected(let reason) = outcome, !run.isOver, state.withLock({ $0.slots[slot]?.anchor }) == index {
            runEnded(slot, NodeFailure(.unsupported, reason))
            await run.runner.cancel()
        }
    }

    /// The graph of a producer is gone. What was wanted from it is tried again, three times at most.
    func runEnded(_ id: Int, _ failure: NodeFailure?) {
        let wants: [WantTable.Want] = state.withLock { state in
            guard state.slots.removeValue(forKey: id) != nil else { return [] }
            budget.give()
            if let failure, !failure.isTransient {
                // Trying again can only help where the failure was of the moment.
                state.failure = failure
                return state.wants.takeAll(of: id)
            }
            return state.wants.takeMissed(of: id, limit: 3)
        }
        for want in wants { want.continuation.resume(returning: failure.map { .failed($0) } ?? .expired) }
        steerUnassigned()
    }

    /// Gives wants that wait for a producer to whoever has become free.
    func steerUnassigned() {
        while let id = state.withLock({ $0.wants.oldestUnassigned }) {
            steer(id)
            // Nobody is free.
            if state.withLock({ $0.wants[id].map { $0.producer == nil } ?? false }) { return }
        }
    }
}

/// One producer's way back to its table.
private struct SlotDestination: RunDestination {
    let table: ProducerTable
    let slot: Int

    func publish(_ fragment: Fragment) {
        let key = SegmentKey(rendition: fragment.rendition, role: fragment.role)
        guard case .media(let index) = fragment.role else { return }
        table.store.put(table.settings.titleKey, key, fragment.chunks)
        let now = table.settings.clock.now
        let (wants, isFree): ([WantTable.Want], Bool) = table.state.withLock { state in
            let wants = state.wants.take(key)
            state.slots[slot]?.published(fragment.rendition, index)
            if !wants.isEmpty {
                state.slots[slot]?.lastServed = now
                state.failure = nil
            }
            return (wants, state.wants.oldestUnassigned != nil && state.wants.count(of: slot) == 0)
        }
        for want in wants { want.continuation.resume(returning: .ready(.chunks(fragment.chunks))) }
        if isFree { table.steerUnassigned() }
    }

    func admits(_ index: Int) -> Bool {
        let (furthest, limit) = table.state.withLock { ($0.slots[slot]?.furthest ?? -1, $0.slots[slot]?.limit ?? -1) }
        guard index <= limit else { return false }
        // What would be dropped before it is asked for is made when it is. One segment more all the same: the other
        // renditions of the furthest come after its first.
        return index <= furthest + 1 || !table.store.isCrowded
    }

    /// The run has come to the end of the title. What is still wanted was asked for while the end was on its way: the
    /// run is moved again, and a want that has seen three ends is given up.
    func ended() {
        let missed: [WantTable.Want] = table.state.withLock { state in
            state.slots[slot]?.ended()
            return state.wants.takeMissed(of: slot, limit: 3)
        }
        for want in missed { want.continuation.resume(returning: .expired) }
        table.steerUnassigned()
    }
}
