import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTestKit

/// A graph of toys that runs in a task of its own, with its events collected.
struct RunFixture: Sendable {
    let runner: GraphRunner
    let recorder = Recorder<Token>()
    let events = EventLog()
    private let task: Task<Void, any Error>

    init(
        _ builder: PlanBuilder, scripts: [String: Script], gates: [String: Gate] = [:],
        options: RunnerOptions = RunnerOptions(), registry: NodeRegistry = .toys
    ) throws {
        let runner = try GraphRunner(
            plan: builder.plan, registry: registry,
            resources: Resources().with(recorder).with(Scripts(scripts)).with(Gates(gates)), options: options)
        self.runner = runner
        let log = events
        let stream = runner.events
        task = Task {
            async let collected: Void = log.collect(stream)
            do {
                try await runner.run()
                await collected
            } catch {
                await collected
                throw error
            }
        }
    }

    /// Waits for the run to return, and rethrows what it threw.
    func finish() async throws { try await task.value }

    /// What the run threw, if anything.
    func failure() async -> GraphFailure? {
        do {
            try await task.value
            return nil
        } catch { return error as? GraphFailure }
    }

    func cancelTask() { task.cancel() }

    func values(_ node: String = "sink", in epoch: UInt64? = nil) -> [Int] {
        recorder.payloads(of: node, in: epoch.map(Epoch.init)).map(\.value)
    }

    func activity(_ node: String) -> NodeActivity? {
        runner.snapshot().nodes.first { $0.name == node }?.numbers.activity
    }

    /// Whether every node waits for something.
    var isQuiet: Bool {
        let snapshot = runner.snapshot()
        return snapshot.phase != .idle && snapshot.nodes.allSatisfy { $0.numbers.activity != .busy }
    }
}

/// Events of a runner so far.
final class EventLog: Sendable {
    private let state = Locked<[GraphEvent]>([])
    var all: [GraphEvent] { state.withLock { $0 } }
    var phases: [String] { all.compactMap { if case .phase(let phase) = $0 { phase.name } else { nil } } }

    func collect(_ stream: AsyncStream<GraphEvent>) async {
        for await event in stream { state.withLock { $0.append(event) } }
    }
}

extension PlanBuilder {
    /// source → pass → sink.
    static func line(limits: ChannelLimits = ChannelLimits()) -> PlanBuilder {
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self)
        builder.node("pass", ToyPass.self)
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "pass", "sink", limits: limits)
        return builder
    }
}

extension Script {
    /// Tokens without an end in sight, and a sticky event at the front of every epoch.
    static var endless: Script {
        var script = Script.tokens(1_000_000_000, step: .milliseconds(10))
        script.sticky = [.segment(TimelineSegment(start: Timestamp(0, .mpeg), sourceStart: Timestamp(0, .mpeg)))]
        return script
    }
}
