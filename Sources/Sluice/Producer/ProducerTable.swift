import SluiceCore
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// The producers of one rendition set of a title, and the requests that wait for them.
///
/// All decisions are taken under one lock by pure types; graphs are started, moved and stopped outside of it.
final class ProducerTable: Sendable {
    struct Settings: Sendable {
        var plan: GraphPlan
        var facts: TitleFacts
        var segments: TitlePlan
        /// Names the title in the store.
        var titleKey: String
        /// How a remote source is opened.
        var transport = TransportOptions()
        var rule = ProducerRule()
        /// Requests that may wait at one time.
        var waitLimit = 512
        /// Without a want for this long a graph is stopped.
        var idleTimeout = Duration.seconds(20)
        var clock: any TimeSource = SystemTimeSource()
        var logger = Logger.silent
    }

    struct State {
        var wants = WantTable()
        var slots: [Int: ProducerSlot] = [:]
        var lastSlot = 0
        var lastWant: UInt64 = 0
        var lastUse: ContinuousClock.Instant
        var failure: NodeFailure?
        var isStopped = false
    }

    /// One producer, for status pages.
    struct Status: Sendable {
        var id: Int
        /// Lowest index that a rendition gets next.
        var next: Int?
        var furthest: Int
        var waits: Int
        var snapshot: GraphSnapshot?
    }

    let settings: Settings
    let store: SegmentStore
    let budget: ProducerBudget
    let state: Locked<State>

    init(settings: Settings, store: SegmentStore, budget: ProducerBudget) {
        self.settings = settings
        self.store = store
        self.budget = budget
        state = Locked(State(lastUse: settings.clock.now))
    }

    var running: Int { state.withLock { $0.slots.count } }
    var waiting: Int { state.withLock { $0.wants.count } }
    /// Why nothing is made any more.
    var failure: NodeFailure? { state.withLock { $0.failure } }

    var statuses: [Status] {
        state.withLock { state in
            state.slots.values.sorted { $0.id < $1.id }.map { slot in
                let fronts = slot.fronts.values.min().map { $0 + 1 } ?? slot.anchor
                return Status(
                    id: slot.id, next: fronts, furthest: slot.furthest, waits: state.wants.count(of: slot.id),
                    snapshot: slot.run?.runner.snapshot())
            }
        }
    }

    // MARK: - Wants

    /// The segment's bytes, waiting for their production.
    func fetch(_ key: SegmentKey, deadline: Duration) async -> Fetched {
        if let ready = store.find(settings.titleKey, key) {
            touch(key)
            return .ready(ready)
        }
        let id: UInt64? = state.withLock { state in
            guard state.wants.count < settings.waitLimit, !state.isStopped else { return nil }
            state.lastWant += 1
            return state.lastWant
        }
        guard let id else { return .refused("too many requests wait for this title") }
        let limit = settings.clock.now + deadline
        let timer = Task { [settings] in
            do { try await settings.clock.sleep(until: limit) } catch { return }
            self.giveUp(id)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                add(id, WantTable.Want(key: key, continuation: continuation))
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            self.giveUp(id)
        }
    }

    private func add(_ id: UInt64, _ want: WantTable.Want) {
        let isStopped = state.withLock { state in
            state.lastUse = settings.clock.now
            if !state.isStopped { state.wants.add(id, want) }
            return state.isStopped
        }
        if isStopped { return want.continuation.resume(returning: .expired) }
        // It may have been published between the look and the entry.
        if let ready = store.find(settings.titleKey, want.key), let taken = state.withLock({ $0.wants.remove(id) }) {
            taken.continuation.resume(returning: .ready(ready))
            return
        }
        steer(id)
    }

    private func giveUp(_ id: UInt64) {
        let want = state.withLock { $0.wants.remove(id) }
        guard let want else { return }
        want.continuation.resume(returning: .expired)
        // Its producer may be free for others now.
        if want.producer != nil { steerUnassigned() }
    }

    /// A reader has come to a segment that was there: whoever makes what follows may go on.
    private func touch(_ key: SegmentKey) {
        guard case .media(let index) = key.role else { return }
        let now = settings.clock.now
        let run: ProducerRun? = state.withLock { state in
            state.lastUse = now
            let ahead = state.slots.values.compactMap { slot -> (id: Int, ahead: Int)? in
                guard let anchor = slot.anchor, let next = slot.next(key.rendition), index >= anchor,
                    index <= next + settings.rule.reach.reach
                else { return nil }
                return (slot.id, abs(next - index))
            }
            guard let nearest = ahead.min(by: { ($0.ahead, $0.id) < ($1.ahead, $1.id) }) else { return nil }
            state.slots[nearest.id]?.ask(for: index)
            state.slots[nearest.id]?.lastServed = now
            return state.slots[nearest.id]?.run
        }
        run?.wake()
    }

    // MARK: - Stopping

    /// Stops graphs that have been idle for long enough; the time since anything was asked for.
    func rest() async -> Duration {
        let now = settings.clock.now
        let (idle, unused): ([ProducerRun?], Duration) = state.withLock { state in
            let unused = state.lastUse.duration(to: now)
            let ids = state.slots.values.filter { slot in
                state.wants.count(of: slot.id) == 0
                    && (slot.lastServed ?? state.lastUse).duration(to: now) >= settings.idleTimeout
            }.map(\.id)
            return (ids.map { state.slots.removeValue(forKey: $0)?.run }, unused)
        }
        for run in idle {
            budget.give()
            await run?.runner.cancel()
        }
        return unused
    }

    /// The title is of use, though none of its segments was asked for.
    func noteUse() {
        let now = settings.clock.now
        state.withLock { $0.lastUse = now }
    }

    /// Gives a producer that serves nobody up for another title; its permit is the caller's.
    func surrender() -> Bool {
        let now = settings.clock.now
        let slot: ProducerSlot? = state.withLock { state in
            let free = state.slots.values.filter { slot in
                state.wants.count(of: slot.id) == 0
                    && slot.lastServed.map { $0.duration(to: now) >= settings.rule.patience } ?? true
            }
            guard let id = free.min(by: { $0.id < $1.id })?.id else { return nil }
            return state.slots.removeValue(forKey: id)
        }
        guard let slot else { return false }
        Task { await slot.run?.runner.cancel() }
        return true
    }

    /// Ends every wait and every graph, for good.
    func stop() async {
        let (slots, wants): ([ProducerSlot], [WantTable.Want]) = state.withLock { state in
            defer { state.slots = [:] }
            state.isStopped = true
            return (Array(state.slots.values), state.wants.takeAll())
        }
        for want in wants { want.continuation.resume(returning: .expired) }
        for slot in slots {
            budget.give()
            await slot.run?.runner.cancel()
        }
    }
}
