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
    /// What the library calls it: the root's name and the path below it.
    public let name: String
    public let facts: TitleFacts
    public let plan: TitlePlan
    public let shape: Shape
    /// Eight hexadecimal digits: what lies below it in a URL never changes.
    public let planID: String
    let producer: Producer

    /// What all titles of an engine share.
    struct Surroundings: Sendable {
        var store: SegmentStore
        var plans: PlanStore?
        var graphs: GraphCatalog
        var logger: Logger
        var clock: any TimeSource
    }

    /// Looks at the source and plans it.
    ///
    /// - Throws: what the source or the container refuses; `.unsupported` where it cannot be served by copying.
    static func open(
        _ source: String, name: String, shape: Shape, in surroundings: Surroundings
    ) async throws -> Title {
        let plans = surroundings.plans
        let planned = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
            try TitleInspector.inspect(source, store: plans, options: TransportOptions())
        }
        let (facts, plan) = (planned.facts, planned.plan)
        var route = RouteFacts()
        route.video = .copy
        route.audio = facts.audio.isEmpty ? .none : .copy
        guard let selection = surroundings.graphs.select(route) else {
            throw NodeFailure(.unsupported, "no graph file fits route.video=copy; expected native-loopback")
        }
        let graph = try GraphPlan(
            file: selection.file, catalog: NodeCatalog(StandardNodes.registry.descriptors),
            settings: ["shape": shape.rawValue], facts: GraphFacts(sourceURL: source, route: route))
        return Title(source, name, facts, plan, shape, graph, surroundings)
    }

    private init(
        _ source: String, _ name: String, _ facts: TitleFacts, _ plan: TitlePlan, _ shape: Shape, _ graph: GraphPlan,
        _ surroundings: Surroundings
    ) {
        self.name = name
        self.source = source
        self.facts = facts
        self.plan = plan
        self.shape = shape
        planID = PlanIdentity.digits(facts, plan, source: source)
        let key = "\(planID)/\(shape.rawValue)/\(source)"
        var settings = Producer.Settings(plan: graph, facts: facts, segments: plan, titleKey: key)
        settings.logger = surroundings.logger
        settings.clock = surroundings.clock
        producer = Producer(settings: settings, store: surroundings.store)
    }

    /// Names of the media playlists: `video`, `audio-1`, …
    public var renditions: [String] { layout.names }

    var layout: TitleLayout { TitleLayout(facts, shape) }

    /// The running graph's numbers; nil while nothing is produced.
    public var snapshot: GraphSnapshot? { producer.snapshot }
}
