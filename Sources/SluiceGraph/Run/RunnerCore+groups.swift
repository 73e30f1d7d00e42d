import SluiceCore
import SluiceDataflow
import Synchronization

/// Nodes of this process that were left behind stuck in a call. `/healthz` fails past four.
public enum AbandonedNodes {
    private static let number = Atomic<Int>(0)
    public static var count: Int { number.load(ordering: .relaxed) }
    static func add(_ nodes: Int) { number.wrappingAdd(nodes, ordering: .relaxed) }
}

extension RunnerCore {
    /// One task a group; its child tasks make, run and free the nodes.
    func startGroups() {
        guard let graph = state.withLock({ $0.graph }) else { return }
        var groups: [String: [Blueprint]] = [:]
        for blueprint in graph.startOrder { groups[blueprint.planned.group, default: []].append(blueprint) }
        state.withLock { state in
            state.groupsRunning = Set(groups.keys)
            state.started = options.clock.now
        }
        for (name, members) in groups {
            let task = Task.detached {
                await self.runGroup(members)
                self.groupEnded(name)
            }
            let late = state.withLock { state in
                state.groupTasks[name] = task
                return state.machine.phase.isOver
            }
            if late { task.cancel() }
        }
    }

    private func runGroup(_ members: [Blueprint]) async {
        await withTaskGroup(of: (Int, NodeFailure?).self) { tasks in
            for (index, blueprint) in members.enumerated() {
                tasks.addTask(executorPreference: blueprint.lane) {
                    (index, await Self.runNode(blueprint))
                }
            }
            for await (index, failure) in tasks { nodeEnded(members[index], failure) }
        }
    }

    private static func runNode(_ blueprint: Blueprint) async -> NodeFailure? {
        blueprint.context.core.nodeBegins()
        defer { blueprint.context.core.nodeEnded() }
        do throws(NodeFailure) {
            try await blueprint.run(blueprint.context)
            return nil
        } catch { return error }
    }

    /// Returns when every group has ended, or the join deadline after the graph began to close has passed.
    func waitForGroups() async {
        var timer: Task<Void, Never>?
        var deadline: ContinuousClock.Instant?
        defer { timer?.cancel() }
        while true {
            let (running, closing) = state.withLock { (!$0.groupsRunning.isEmpty, $0.closing) }
            if !running {
                // Every group isolated itself away: nothing is left to run.
                if !closing { stop(.failed) }
                return
            }
            if closing, deadline == nil {
                let limit = options.clock.now + options.joinDeadline
                deadline = limit
                timer = Task.detached { [options] in
                    do { try await options.clock.sleep(until: limit) } catch { return }
                    self.waker.signal()
                }
            }
            if let deadline, options.clock.now >= deadline {
                abandon()
                return
            }
            await waker.wait()
        }
    }

    /// Gives up on what still runs: its channels are closed, its token is raised, its thread is lost.
    private func abandon() {
        let (names, tasks) = state.withLock { state in
            (state.running.sorted(), state.groupsRunning.compactMap { state.groupTasks[$0] })
        }
        cancelNodes()
        for task in tasks { task.cancel() }
        AbandonedNodes.add(names.count)
        options.logger.error("graph '\(graphName)': abandoned \(names.joined(separator: ", "))")
        emit(.abandoned(nodes: names))
        advance { $0.abandon() }
    }

    /// After the last group: whoever still waits for anything is told, and the event stream ends.
    func finish() { advance { $0.finish() } }

    // MARK: - Waiting

    func outcome(of id: SeekID) async -> SeekOutcome {
        await withUnsafeContinuation { continuation in
            let early: SeekOutcome? = state.withLock { state in
                if let outcome = state.earlyOutcomes.removeValue(forKey: id) { return outcome }
                state.seekWaiters[id] = continuation
                return nil
            }
            if let early { continuation.resume(returning: early) }
        }
    }

    func waitForDrain(_ deadline: Duration?) async throws(NodeFailure) {
        let expired = Locked(false)
        var timer: Task<Void, Never>?
        if let deadline {
            let limit = options.clock.now + deadline
            timer = Task.detached { [options] in
                do { try await options.clock.sleep(until: limit) } catch { return }
                guard !self.state.withLock({ $0.drainFinished }) else { return }
                expired.withLock { $0 = true }
                self.stop(.cancelled)
            }
        }
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let done: Bool = state.withLock { state in
                if state.drainFinished || state.finished { return true }
                state.drainWaiters.append(continuation)
                return false
            }
            if done { continuation.resume() }
        }
        timer?.cancel()
        if expired.withLock({ $0 }) {
            throw NodeFailure(.timedOut, "graph '\(graphName)' did not drain within its deadline; it was cancelled")
        }
    }

    func waitUntilFinished() async {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            let done: Bool = state.withLock { state in
                // A runner that never ran has nothing to wait for.
                if state.finished || state.started == nil { return true }
                state.finishWaiters.append(continuation)
                return false
            }
            if done { continuation.resume() }
        }
    }

    // MARK: - Watching

    func startStallMonitor() -> Task<Void, Never> {
        Task.detached { [options] in
            var detector = StallDetector(patience: options.stallPatience)
            var lastEpoch = Epoch.first
            let sources = self.state.withLock { $0.machine.sources }
            while !Task.isCancelled {
                do { try await options.clock.sleep(until: options.clock.now + .milliseconds(500)) } catch { return }
                let snapshot = self.snapshot()
                let wanted = self.state.withLock { $0.wanted }
                guard wanted, snapshot.phase.isMoving else {
                    detector.reset()
                    continue
                }
                if snapshot.epoch != lastEpoch { detector.reset() }
                lastEpoch = snapshot.epoch
                let nodes = snapshot.nodes.map { ($0.name, sources.contains($0.name), $0.numbers) }
                switch detector.look(nodes, at: options.clock.now) {
                case .fine: break
                case .stalled(let node): self.emit(.stalled(node: node))
                case .deadlocked: self.emit(.deadlocked(snapshot.waitReport))
                }
            }
        }
    }

    func snapshot() -> GraphSnapshot {
        let (graph, phase, epoch, started) = state.withLock {
            ($0.graph, $0.machine.phase, $0.machine.epoch, $0.started)
        }
        let elapsed = started?.duration(to: options.clock.now).nanoseconds ?? 0
        let nodes = (graph?.blueprints ?? []).map { blueprint in
            GraphSnapshot.NodeState(
                name: blueprint.planned.name, kind: blueprint.planned.kind, group: blueprint.planned.group,
                numbers: blueprint.context.core.numbers)
        }
        let links = (graph?.links ?? []).map { link in
            GraphSnapshot.LinkState(
                from: "\(link.planned.fromNode).\(link.planned.fromPort)",
                to: "\(link.planned.toNode).\(link.planned.toPort)", payload: link.planned.payload,
                level: link.channel.level, limits: link.planned.limits)
        }
        return GraphSnapshot(
            graph: graphName, phase: phase, epoch: epoch, elapsed: elapsed, nodes: nodes, links: links)
    }
}
