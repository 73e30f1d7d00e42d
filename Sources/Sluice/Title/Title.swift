import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceDataflow
public import SluiceGraph
public import SluiceNodes
import SluiceTransport

/// One source with one set of options: its facts, its plan, its producer.
public final class Title: Sendable {
    public enum Shape: String, Sendable, Hashable, CaseIterable { case renditions, muxed }

    public let source: String
    public let facts: TitleFacts
    public let plan: TitlePlan
    public let shape: Shape
    /// Eight hexadecimal digits: what lies below it in a URL never changes.
    public let planID: String
    let producer: Producer

    /// Looks at the source and plans it.
    ///
    /// - Throws: what the source or the container refuses; `.unsupported` where it cannot be served by copying.
    static func open(
        _ source: String, shape: Shape, store: SegmentStore, graphs: GraphCatalog, logger: Logger,
        clock: any TimeSource
    ) async throws -> Title {
        let (facts, plan) = try await BlockingThreads.shared.run { () throws(NodeFailure) -> (TitleFacts, TitlePlan) in
            try TitleInspector.inspect(source)
        }
        var route = RouteFacts()
        route.video = .copy
        route.audio = facts.audio.isEmpty ? .none : .copy
        guard let selection = graphs.select(route) else {
            throw NodeFailure(.unsupported, "no graph file fits route.video=copy; expected native-loopback")
        }
        let graph = try GraphPlan(
            file: selection.file, catalog: NodeCatalog(StandardNodes.registry.descriptors),
            settings: ["shape": shape.rawValue], facts: GraphFacts(sourceURL: source, route: route))
        return Title(source, facts, plan, shape, graph, store, logger, clock)
    }

    private init(
        _ source: String, _ facts: TitleFacts, _ plan: TitlePlan, _ shape: Shape, _ graph: GraphPlan,
        _ store: SegmentStore, _ logger: Logger, _ clock: any TimeSource
    ) {
        self.source = source
        self.facts = facts
        self.plan = plan
        self.shape = shape
        planID = PlanIdentity.digits(facts, plan, source: source)
        let key = "\(planID)/\(shape.rawValue)/\(source)"
        var settings = Producer.Settings(plan: graph, facts: facts, segments: plan, titleKey: key)
        settings.logger = logger
        settings.clock = clock
        producer = Producer(settings: settings, store: store)
    }

    /// Names of the media playlists: `video`, `audio-1`, …
    public var renditions: [String] { layout.names }

    var layout: TitleLayout { TitleLayout(facts, shape) }

    /// The running graph's numbers; nil while nothing is produced.
    public var snapshot: GraphSnapshot? { producer.snapshot }
}
