import SluiceCore
import SluiceDataflow
import Synchronization

/// What a runner's actor, its nodes' reports and its timers share: the state machine and its effects.
final class RunnerCore: Sendable {
    struct State {
        var machine: RunnerStateMachine
        /// What the machine has decided and nobody has carried out yet.
        var actions = RingBuffer<RunnerStateMachine.Action>()
        /// Somebody carries actions out.
        var performing = false
        /// `run()` was called.
        var ran = false
        var graph: LinkedGraph?
        var started: ContinuousClock.Instant?
        var seekWaiters: [SeekID: UnsafeContinuation<SeekOutcome, Never>] = [:]
        var seekTimers: [SeekID: Task<Void, Never>] = [:]
        /// Outcomes that came before their waiter.
        var earlyOutcomes: [SeekID: SeekOutcome] = [:]
        var drainWaiters: [UnsafeContinuation<Void, Never>] = []
        var drainFinished = false
        var finishWaiters: [UnsafeContinuation<Void, Never>] = []
        var finished = false
        var failure: GraphFailure?
        /// The latest failure that did not end the graph.
        var isolatedFailure: GraphFailure?
        var closing = false
        var running: Set<String> = []
        var groupsRunning: Set<String> = []
        var groupTasks: [String: Task<Void, Never>] = [:]
        var isolated: Set<String> = []
        var wanted = true
    }

    let graphName: String
    let policies: [String: FailurePolicy]
    let options: RunnerOptions
    let state: Locked<State>
    let waker = Waker()
    let events: AsyncStream<GraphEvent>
    private let eventSink: AsyncStream<GraphEvent>.Continuation

    init(plan: GraphPlan, options: RunnerOptions) {
        graphName = plan.name
        policies = plan.groups
        self.options = options
        let sinks = plan.nodes.filter(\.descriptor.isSink)
        let machine = RunnerStateMachine(
            landingSinks: Set(sinks.filter(\.descriptor.landing).map(\.name)), sinks: Set(sinks.map(\.name)),
            sources: Set(plan.nodes.filter(\.descriptor.isSource).map(\.name)), staysAlive: options.staysAlive)
        state = Locked(State(machine: machine))
        (events, eventSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    }

    // MARK: - Inputs

    /// Asks the machine and carries out what it says.
    ///
    /// Actions are carried out one at a time in the order of the decisions, whoever made them: a caller that finds
    /// another at work leaves its actions to it and returns. So events are in order, and no two seeks interleave.
    func advance(_ body: (inout RunnerStateMachine) -> [RunnerStateMachine.Action]) {
        let mine: Bool = state.withLock { state in
            for action in body(&state.machine) { state.actions.append(action) }
            if state.performing || state.actions.isEmpty { return false }
            state.performing = true
            return true
        }
        guard mine else { return }
        while true {
            let action: RunnerStateMachine.Action? = state.withLock { state in
                let action = state.actions.popFirst()
                if action == nil { state.performing = false }
                return action
            }
            guard let action else { return }
            perform(action)
        }
    }

    func report(_ node: String, _ report: NodeReport) {
        switch report {
        case .landed(let epoch, let time): advance { $0.landed(node, epoch, time) }
        case .rejected(let epoch, let reason): advance { $0.rejected(node, epoch, reason) }
        case .ended(let epoch, let reason): advance { $0.sinkEnded(node, epoch, reason) }
        case .notice(let text): emit(.notice(node: node, text))
        }
    }

    /// A node's `run` returned.
    func nodeEnded(_ blueprint: Blueprint, _ failure: NodeFailure?) {
        let node = blueprint.planned
        var orphaned = false
        let verdict: NodeFailure? = state.withLock { state in
            state.running.remove(node.name)
            // The phase is over before the nodes are cancelled; `closing` may follow later, by another caller's hand.
            if state.closing || state.machine.phase.isOver || state.isolated.contains(node.group) { return nil }
            if let failure { return failure }
            // A node whose channel was closed under it (an isolated neighbour) has nothing left to do.
            if state.graph?.channels(of: node.name).contains(where: \.level.closed) ?? true {
                orphaned = true
                return nil
            }
            return NodeFailure(.internalInvariant, "returned before its end of stream; expected it to stay alive")
        }
        if orphaned { leave([node.name]) }
        guard let verdict else { return }
        if policies[node.group] == .isolate { isolate(node, verdict) } else { fail(node, verdict) }
    }

    func groupEnded(_ group: String) {
        state.withLock { _ = $0.groupsRunning.remove(group) }
        waker.signal()
    }

    func stop(_ phase: RunnerPhase) {
        advance { $0.stop(phase) }
        cancelNodes()
    }

    func emit(_ event: GraphEvent) { eventSink.yield(event) }

    // MARK: - Effects

    private func perform(_ action: RunnerStateMachine.Action) {
        switch action {
        case .raiseTokens(let epoch): forEachSource { $0.interrupt.raise(for: epoch) }
        case .flush(let epoch): for link in links { link.channel.flush(to: epoch) }
        case .postSeek(let request): forEachSource { _ = $0.core.post(.seek(request)) }
        case .postFinish: forEachSource { _ = $0.core.post(.finish) }
        case .startSeekDeadline(let id): startDeadline(id)
        case .resolve(let id, let outcome): resolve(id, outcome)
        case .emit(let event): emit(event)
        case .closeChannels: closeChannels()
        case .drainFinished:
            let waiters = state.withLock { state in
                state.drainFinished = true
                defer { state.drainWaiters = [] }
                return state.drainWaiters
            }
            for waiter in waiters { waiter.resume() }
        case .finishRun: finishRun()
        }
    }

    private var links: [LinkedGraph.Link] { state.withLock { $0.graph?.links ?? [] } }

    private func forEachSource(_ body: (NodeContext) -> Void) {
        let blueprints = state.withLock { $0.graph?.blueprints ?? [] }
        for blueprint in blueprints where blueprint.planned.descriptor.isSource { body(blueprint.context) }
    }

    /// After the end: filters and sinks return when their inputs are empty and closed, sources must be told.
    private func closeChannels() {
        state.withLock { $0.closing = true }
        for link in links { link.channel.close() }
        forEachSource { $0.core.cancel() }
        waker.signal()
    }

    func cancelNodes() {
        let (blueprints, tasks) = state.withLock { ($0.graph?.blueprints ?? [], Array($0.groupTasks.values)) }
        for blueprint in blueprints { blueprint.context.core.cancel() }
        // For nodes that wait for something of their own: a timer, a host's call.
        for task in tasks { task.cancel() }
    }

    private func fail(_ node: PlannedNode, _ failure: NodeFailure) {
        state.withLock { state in
            if state.failure == nil { state.failure = place(failure, of: node, state) }
        }
        stop(.failed)
    }

    private func place(_ failure: NodeFailure, of node: PlannedNode, _ state: State) -> GraphFailure {
        GraphFailure(
            graph: graphName, node: node.name, group: node.group, epoch: state.machine.epoch, failure: failure)
    }

    /// The group ends, the rest goes on: what is sent to it vanishes, what it fed is closed.
    private func isolate(_ node: PlannedNode, _ failure: NodeFailure) {
        let graph: LinkedGraph? = state.withLock { state in
            state.isolatedFailure = place(failure, of: node, state)
            return state.isolated.insert(node.group).inserted ? state.graph : nil
        }
        guard let graph else { return }
        let members = Set(graph.blueprints.filter { $0.planned.group == node.group }.map(\.planned.name))
        emit(.nodeFailed(node: node.name, group: node.group, failure: failure))
        for blueprint in graph.blueprints where members.contains(blueprint.planned.name) {
            blueprint.context.core.cancel()
        }
        leave(members)
        state.withLock { $0.groupTasks[node.group] }?.cancel()
    }

    /// These nodes are no longer part of the run: what is sent to them vanishes, what they fed is closed.
    private func leave(_ members: Set<String>) {
        for link in links {
            let (from, to) = (members.contains(link.planned.fromNode), members.contains(link.planned.toNode))
            if to, !from { link.channel.detachConsumer() } else if from || to { link.channel.close() }
        }
        advance { $0.leave(members) }
    }

    private func resolve(_ id: SeekID, _ outcome: SeekOutcome) {
        let (waiter, timer) = state.withLock { state in
            let waiter = state.seekWaiters.removeValue(forKey: id)
            if waiter == nil { state.earlyOutcomes[id] = outcome }
            return (waiter, state.seekTimers.removeValue(forKey: id))
        }
        timer?.cancel()
        waiter?.resume(returning: outcome)
    }

    private func startDeadline(_ id: SeekID) {
        let deadline = options.clock.now + options.seekDeadline
        let timer = Task.detached { [options] in
            do { try await options.clock.sleep(until: deadline) } catch { return }
            self.advance { $0.deadlinePassed(id) }
        }
        let over: Bool = state.withLock { state in
            if state.earlyOutcomes[id] != nil { return true }
            state.seekTimers[id] = timer
            return false
        }
        if over { timer.cancel() }
    }

    private func finishRun() {
        let waiters = state.withLock { state in
            state.finished = true
            defer { state.finishWaiters = [] }
            return state.finishWaiters
        }
        eventSink.finish()
        for waiter in waiters { waiter.resume() }
    }
}
