import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// One running graph of a producer table.
final class ProducerRun: Sendable {
    let runner: GraphRunner
    private let name: String
    private let logger: Logger
    private let publisher: Locked<Waker?>

    /// - Throws: where the graph does not fit the registered kinds.
    init(_ settings: ProducerTable.Settings, destination: any RunDestination) throws {
        name = settings.titleKey
        logger = settings.logger
        publisher = Locked(nil)
        let output = ProducerOutput(destination: destination, publisher: publisher)
        let resources = Resources.none.with(settings.facts).with(settings.segments)
            .with(settings.transport).with(output as any SegmentDestination)
        var options = RunnerOptions()
        options.staysAlive = true
        options.clock = settings.clock
        options.logger = settings.logger
        runner = try GraphRunner(
            plan: settings.plan, registry: StandardNodes.registry, resources: resources, options: options)
    }

    /// Runs to the end of its life; nil where it was cancelled or drained.
    func run() async -> NodeFailure? {
        let watcher = Task { await watch() }
        defer { watcher.cancel() }
        do {
            try await runner.run()
            return nil
        } catch {
            logger.error("\(name): \(error)")
            return (error as? GraphFailure)?.failure ?? error as? NodeFailure
                ?? NodeFailure(.internalInvariant, "\(error)")
        }
    }

    /// Whether it has stopped or is about to: ``run()`` says why.
    var isOver: Bool { runner.snapshot().phase.isOver }

    /// Lets the publisher look again at how far it may go.
    func wake() { publisher.withLock { $0 }?.signal() }

    /// Logs what goes wrong without ending the run.
    private func watch() async {
        for await event in runner.events {
            switch event {
            case .stalled(let node): logger.warning("\(name): no progress; '\(node)' is busy")
            case .deadlocked(let report): logger.warning("\(name): no progress\n\(report)")
            case .nodeFailed(let node, _, let failure): logger.warning("'\(node)' ended: \(failure)")
            case .abandoned(let nodes): logger.error("abandoned \(nodes.joined(separator: ", "))")
            case .phase, .lateLanding, .truncated, .notice: break
            }
        }
    }
}

/// Takes what a run makes.
protocol RunDestination: Sendable {
    func publish(_ fragment: Fragment)
    func admits(_ index: Int) -> Bool
    func ended()
}

/// The publisher's end of a run.
private struct ProducerOutput: SegmentDestination {
    let destination: any RunDestination
    let publisher: Locked<Waker?>
    func publish(_ fragment: Fragment) throws(NodeFailure) { destination.publish(fragment) }
    func admits(index: Int) -> Bool { destination.admits(index) }
    func attach(_ waker: Waker) { publisher.withLock { $0 = waker } }
    func ended(_ reason: EndReason) { destination.ended() }
}
