import SluiceCore
public import SluiceDataflow

/// Runs one graph: starts its nodes, moves it by seeks, drains or cancels it, and says what it does.
public actor GraphRunner {
    /// State changes, newest 256. Numbers are in ``snapshot()``.
    public nonisolated let events: AsyncStream<GraphEvent>
    public nonisolated let plan: GraphPlan

    private let core: RunnerCore

    /// - Throws: ``NodeFailure`` when a kind or a payload of the plan is not registered.
    public init(
        plan: GraphPlan, registry: NodeRegistry, resources: Resources = .none, options: RunnerOptions = RunnerOptions()
    ) throws {
        self.plan = plan
        let core = RunnerCore(plan: plan, options: options)
        self.core = core
        events = core.events
        let graph = try LinkedGraph(
            plan: plan, registry: registry, resources: resources, options: options,
            report: { [weak core] node, report in core?.report(node, report) })
        core.state.withLock { state in
            state.graph = graph
            state.running = Set(graph.blueprints.map(\.planned.name))
        }
    }

    /// Runs the graph until it is drained, failed, cancelled or abandoned. Once.
    ///
    /// - Throws: ``GraphFailure`` with the first failure and its node.
    public func run() async throws {
        let (ranBefore, stopped) = core.state.withLock { state in
            defer { state.ran = true }
            return (state.ran, state.machine.phase.isOver)
        }
        if ranBefore {
            throw NodeFailure(.internalInvariant, "graph '\(plan.name)' was run before; expected one run a runner")
        }
        if stopped { return core.finish() }
        core.advance { $0.start() }
        core.startGroups()
        core.advance { $0.started() }
        let monitor = core.startStallMonitor()
        let runner = core
        await withTaskCancellationHandler {
            await runner.waitForGroups()
        } onCancel: {
            runner.stop(.cancelled)
        }
        monitor.cancel()
        core.finish()
        let failure = core.state.withLock { state in
            // With every sink isolated away there is no result but the failure.
            state.failure ?? (state.machine.phase == .failed ? state.isolatedFailure : nil)
        }
        if let failure { throw failure }
    }

    /// Moves the graph. Exactly one outcome for each call; a later seek supersedes an earlier one.
    public func seek(to target: SeekTarget) async -> SeekOutcome {
        var id: SeekID?
        core.advance { machine in
            let (seek, actions) = machine.seek(to: target)
            id = seek
            return actions
        }
        guard let id else { return .rejected("the graph has stopped") }
        return await core.outcome(of: id)
    }

    /// Tells sources to finish, waits until every sink saw the end, then lets the nodes go.
    ///
    /// - Throws: `.timedOut` when `deadline` passes first; the graph is cancelled then.
    public func drain(deadline: Duration? = nil) async throws {
        core.advance { $0.drain() }
        try await core.waitForDrain(deadline)
        await core.waitUntilFinished()
    }

    /// Stops now; returns when the nodes are gone or abandoned.
    public func cancel() async {
        core.stop(.cancelled)
        await core.waitUntilFinished()
    }

    /// Whether anybody waits for what the graph makes. While nobody does, standing still is no stall.
    public func setWanted(_ wanted: Bool) { core.state.withLock { $0.wanted = wanted } }

    /// Changes a mutable option of a node. False when there is no such node or option, or it cannot change.
    public func setOption(_ name: String, of node: String, to value: OptionValue) -> Bool {
        let blueprint = core.state.withLock { $0.graph?.blueprints.first { $0.planned.name == node } }
        guard let blueprint, let option = blueprint.planned.descriptor.option(name), option.mutable,
            option.mismatch(value) == nil
        else { return false }
        return blueprint.context.core.post(.setOption(name: name, value: value))
    }

    public nonisolated var phase: RunnerPhase { core.state.withLock { $0.machine.phase } }

    public nonisolated func snapshot() -> GraphSnapshot { core.snapshot() }

    /// The recorded events of every node, where the options ask for a trace.
    public nonisolated func traces() -> [(node: String, entries: [TraceEntry])] {
        let blueprints = core.state.withLock { $0.graph?.blueprints ?? [] }
        return blueprints.map { ($0.planned.name, $0.context.core.trace.entries()) }
    }
}
