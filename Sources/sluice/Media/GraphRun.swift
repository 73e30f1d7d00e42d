import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

/// One run of a plan: its resources, its seeks, its progress line.
struct GraphRun: Sendable {
    let plan: GraphPlan
    /// Targets on the output timeline, taken one after the other as soon as the graph runs.
    let seeks: [Duration]
    let record: LineFile?
    let trace: Bool

    /// Runs to the end. Throws the graph's failure, or `CancellationError` after an interruption.
    func run(_ console: Console, interruption: Interruption) async throws -> RunReport {
        let (digest, catalog) = (PacketDigest(), StreamCatalog())
        var resources = Resources.none.with(digest).with(catalog)
        if let record { resources.set(RunRecorder { record.add($0) }) }
        var options = RunnerOptions()
        options.trace = trace
        // A seek may come after the end, so the nodes stay until the last one was answered.
        options.staysAlive = !seeks.isEmpty
        let runner = try GraphRunner(
            plan: plan, registry: StandardNodes.registry, resources: resources, options: options)
        let progress = console.progress()
        var notes: [String] = []
        var outcomes: [RunReport.Seek] = []
        defer { progress.finish() }
        do {
            (notes, outcomes) = try await withThrowingTaskGroup(of: Part.self) { tasks in
                tasks.addTask {
                    try await runner.run()
                    return .ended
                }
                tasks.addTask { .notes(await Self.watch(runner)) }
                tasks.addTask { .seeks(await self.move(runner)) }
                if console.errorsAreTerminal {
                    tasks.addTask {
                        await Self.show(progress, runner, catalog)
                        return .ended
                    }
                }
                var (notes, outcomes): ([String], [RunReport.Seek]) = ([], [])
                for try await part in tasks {
                    switch part {
                    case .ended: break
                    case .notes(let lines): notes = lines
                    case .seeks(let list): outcomes = list
                    }
                }
                return (notes, outcomes)
            }
        } catch {
            throw interruption.isRaised ? CancellationError() : error
        }
        if interruption.isRaised || Task.isCancelled { throw CancellationError() }
        return RunReport(
            snapshot: runner.snapshot(), catalog: catalog.contents, streams: digest.streams, seeks: outcomes,
            notes: notes, traces: runner.traces())
    }

    private enum Part: Sendable { case ended, notes([String]), seeks([RunReport.Seek]) }

    /// Everything worth a line that happens until the run ends.
    private static func watch(_ runner: GraphRunner) async -> [String] {
        var notes: [String] = []
        for await event in runner.events {
            guard let text = event.text, notes.count < 256 else { continue }
            notes.append(text)
        }
        return notes
    }

    /// Carries out the seeks, then lets the graph drain.
    private func move(_ runner: GraphRunner) async -> [RunReport.Seek] {
        var outcomes: [RunReport.Seek] = []
        guard !seeks.isEmpty else { return outcomes }
        while !runner.phase.isMoving, !runner.phase.isOver, runner.phase != .drained { await Self.pause(1) }
        for target in seeks {
            let time = Timestamp(target.nanoseconds, .nanoseconds)
            outcomes.append(RunReport.Seek(target: target, outcome: await runner.seek(to: .time(time))))
        }
        while runner.phase.isMoving, !Task.isCancelled { await Self.pause(5) }
        if runner.phase == .drained { try? await runner.drain() }
        return outcomes
    }

    private static func show(_ progress: Progress, _ runner: GraphRunner, _ catalog: StreamCatalog) async {
        while !Task.isCancelled, runner.phase == .idle || runner.phase == .starting || runner.phase.isMoving {
            let position = runner.snapshot().nodes.compactMap(\.numbers.lastPosition).max() ?? 0
            let length = catalog.contents?.duration.map { " / \(ProbeReport.clock($0))" } ?? ""
            progress.update("\(ProbeReport.clock(.nanoseconds(position)))\(length)")
            await pause(200)
        }
    }

    private static func pause(_ milliseconds: Int) async { try? await Task.sleep(for: .milliseconds(milliseconds)) }
}

extension GraphEvent {
    /// The event as a line for people; nil where it only says that all is well.
    var text: String? {
        switch self {
        case .phase: nil
        case .nodeFailed(let node, let group, let failure):
            "node '\(node)' failed, group '\(group)' goes on without it: \(failure)"
        case .lateLanding(let seek, let time):
            "seek \(seek.number) landed late\(time.map { " at \(ProbeReport.decimal($0.seconds)) s" } ?? "")"
        case .truncated(let reason): "the source broke off: \(reason)"
        case .stalled(let node): "no progress: node '\(node)' is busy"
        case .deadlocked(let report): "no progress: every node waits\n\(report)"
        case .abandoned(let nodes): "left behind: \(nodes.joined(separator: ", "))"
        case .notice(let node, let text): "node '\(node)': \(text)"
        }
    }
}
