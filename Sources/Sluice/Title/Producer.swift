import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

/// Makes the segments of one title with one running graph: answers wants, moves the graph to where they are, and lets
/// it rest when nobody asks.
final class Producer: Sendable {
    struct Settings: Sendable {
        var plan: GraphPlan
        var facts: TitleFacts
        var segments: TitlePlan
        var titleKey: String
        var reach = ReachPolicy()
        /// Without a want for this long the graph is stopped.
        var idleTimeout = Duration.seconds(30)
        var clock: any TimeSource = SystemTimeSource()
        var logger = Logger.silent
    }

    private struct State {
        var wants = WantTable()
        var nextWant: UInt64 = 0
        var runner: GraphRunner?
        /// Index that the run was started at or last moved to; nil while there is no run or it has ended.
        var anchor: Int?
        /// Last index published in order since then, by rendition.
        var fronts: [String: Int] = [:]
        var furthest = 0
        var publisher: Waker?
        var lastUse: ContinuousClock.Instant
        var failure: NodeFailure?
        var generation = 0

        /// Index that a rendition gets next; nil while nothing is running.
        func next(_ rendition: String) -> Int? {
            anchor.map { fronts[rendition].map { $0 + 1 } ?? $0 }
        }

        mutating func leave() {
            runner = nil
            anchor = nil
            fronts = [:]
            generation += 1
        }
    }

    private let settings: Settings
    private let store: SegmentStore
    private let state: Locked<State>

    init(settings: Settings, store: SegmentStore) {
        self.settings = settings
        self.store = store
        state = Locked(State(lastUse: settings.clock.now))
    }

    var isRunning: Bool { state.withLock { $0.runner != nil } }
    var waiting: Int { state.withLock { $0.wants.count } }
    var snapshot: GraphSnapshot? { state.withLock { $0.runner }?.snapshot() }
    var failure: NodeFailure? { state.withLock { $0.failure } }

    /// The file's bytes, waiting for their production; nil when the caller's task was cancelled, the deadline passed or
    /// production failed.
    func fetch(_ key: SegmentKey, deadline: Duration) async -> [ByteChunk]? {
        if let ready = store.find(settings.titleKey, key) {
            touch(key)
            return ready
        }
        let id = state.withLock { state in
            state.nextWant += 1
            return state.nextWant
        }
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

    /// Stops the graph when it has been idle for long enough. True while it runs.
    func rest() async -> Bool {
        let idle: GraphRunner? = state.withLock { state in
            guard let runner = state.runner, state.wants.isEmpty,
                state.lastUse.duration(to: settings.clock.now) >= settings.idleTimeout
            else { return nil }
            state.leave()
            return runner
        }
        await idle?.cancel()
        return isRunning
    }

    func stop() async {
        let (runner, wants) = state.withLock { state in
            let runner = state.runner
            state.leave()
            return (runner, state.wants.takeAll())
        }
        for want in wants { want.continuation.resume(returning: nil) }
        await runner?.cancel()
    }

    // MARK: - Wants

    private func touch(_ key: SegmentKey) {
        let publisher: Waker? = state.withLock { state in
            state.lastUse = settings.clock.now
            guard case .media(let index) = key.role else { return nil }
            // The reader has come this far: production may go on.
            state.furthest = index
            return state.publisher
        }
        publisher?.signal()
    }

    private func add(_ id: UInt64, _ want: WantTable.Want) {
        state.withLock { state in
            state.wants.add(id, want)
            state.lastUse = settings.clock.now
        }
        // It may have been published between the look and the entry.
        if let ready = store.find(settings.titleKey, want.key), let taken = state.withLock({ $0.wants.remove(id) }) {
            taken.continuation.resume(returning: ready)
            return
        }
        touch(want.key)
        steer(to: want.key)
    }

    private func giveUp(_ id: UInt64) {
        let want = state.withLock { $0.wants.remove(id) }
        want?.continuation.resume(returning: nil)
    }

    /// Starts the graph, or moves it, when it does not come to the wanted segment by itself.
    private func steer(to key: SegmentKey) {
        enum Step { case none, start, move(GraphRunner) }
        let (step, wanted): (Step, Int) = state.withLock { state in
            var wanted = 0
            if case .media(let index) = key.role { wanted = index } else if state.runner != nil { return (.none, 0) }
            if settings.reach.decide(wanted: wanted, next: state.next(key.rendition)) == .wait { return (.none, 0) }
            state.anchor = wanted
            state.fronts = [:]
            guard let runner = state.runner else { return (.start, wanted) }
            return (.move(runner), wanted)
        }
        switch step {
        case .none: break
        case .start: start(at: wanted)
        case .move(let runner): Task { await self.move(runner, to: wanted) }
        }
    }

    private func move(_ runner: GraphRunner, to index: Int) async {
        // Only the newest want decides; a move that another one overtook is superseded by the runner.
        guard state.withLock({ $0.anchor }) == index else { return }
        let outcome = await runner.seek(to: .segment(index))
        if case .rejected(let reason) = outcome { fail(NodeFailure(.unsupported, reason), of: nil) }
    }

    private func start(at index: Int) {
        let resources = Resources.none.with(settings.facts).with(settings.segments)
            .with(ProducerOutput(producer: self) as any SegmentDestination)
        var options = RunnerOptions()
        options.staysAlive = true
        options.clock = settings.clock
        options.logger = settings.logger
        let runner: GraphRunner
        do {
            runner = try GraphRunner(
                plan: settings.plan, registry: StandardNodes.registry, resources: resources, options: options)
        } catch {
            fail(error as? NodeFailure ?? NodeFailure(.internalInvariant, "\(error)"), of: nil)
            return
        }
        let generation = state.withLock { state in
            state.runner = runner
            state.generation += 1
            return state.generation
        }
        Task { await self.run(runner, generation) }
        Task { await self.watch(runner) }
        if index > 0 { Task { await self.move(runner, to: index) } }
    }

    private func run(_ runner: GraphRunner, _ generation: Int) async {
        do {
            try await runner.run()
        } catch {
            let failure = (error as? GraphFailure)?.failure ?? NodeFailure(.internalInvariant, "\(error)")
            settings.logger.error("\(error)")
            fail(failure, of: generation)
        }
        state.withLock { state in
            if state.generation == generation { state.leave() }
        }
    }

    /// Logs what goes wrong without ending the run.
    private func watch(_ runner: GraphRunner) async {
        for await event in runner.events {
            switch event {
            case .stalled(let node): settings.logger.warning("\(settings.titleKey): no progress; '\(node)' is busy")
            case .deadlocked(let report): settings.logger.warning("\(settings.titleKey): no progress\n\(report)")
            case .nodeFailed(let node, _, let failure): settings.logger.warning("'\(node)' ended: \(failure)")
            case .abandoned(let nodes): settings.logger.error("abandoned \(nodes.joined(separator: ", "))")
            case .phase, .lateLanding, .truncated, .notice: break
            }
        }
    }

    private func fail(_ failure: NodeFailure, of generation: Int?) {
        let wants: [WantTable.Want] = state.withLock { state in
            if let generation, generation != state.generation { return [] }
            // Trying again can only help where the failure was of the moment; a new want then starts a new graph.
            if !failure.isTransient { state.failure = failure }
            return state.wants.takeAll()
        }
        for want in wants { want.continuation.resume(returning: nil) }
    }

    // MARK: - From the graph

    fileprivate func publish(_ fragment: Fragment) {
        let key = SegmentKey(rendition: fragment.rendition, role: fragment.role)
        let keep = state.withLock { $0.furthest...settings.reach.limit(furthestWant: $0.furthest) }
        store.put(settings.titleKey, key, fragment.chunks, keep: keep)
        let wants: [WantTable.Want] = state.withLock { state in
            // What an earlier position left in the line says nothing of where this one is.
            if case .media(let index) = fragment.role, state.next(fragment.rendition) == index {
                state.fronts[fragment.rendition] = index
            }
            return state.wants.take(key)
        }
        for want in wants { want.continuation.resume(returning: fragment.chunks) }
    }

    fileprivate func admits(_ index: Int) -> Bool {
        state.withLock { state in
            let furthest = max(state.furthest, state.wants.indices.max() ?? 0)
            return index <= settings.reach.limit(furthestWant: furthest)
        }
    }

    fileprivate func attach(_ waker: Waker) { state.withLock { $0.publisher = waker } }

    /// The run has come to the end of the title. What is still wanted was asked for while the end was on its way: the
    /// run is moved again, and a want that has seen three ends is given up.
    fileprivate func ended() {
        let (missed, next): ([WantTable.Want], SegmentKey?) = state.withLock { state in
            state.anchor = nil
            state.fronts = [:]
            let missed = state.wants.takeMissed(limit: 3)
            return (missed, state.wants.wants.min { $0.key < $1.key }?.value.key)
        }
        for want in missed { want.continuation.resume(returning: nil) }
        if let next { steer(to: next) }
    }
}

/// The publisher's end of a producer.
private struct ProducerOutput: SegmentDestination {
    let producer: Producer
    func publish(_ fragment: Fragment) throws(NodeFailure) { producer.publish(fragment) }
    func admits(index: Int) -> Bool { producer.admits(index) }
    func attach(_ waker: Waker) { producer.attach(waker) }
    func ended(_ reason: EndReason) { producer.ended() }
}
