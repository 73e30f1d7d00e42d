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
    /// Names the title in the store.
    let key: String
    /// Tells apart what the plan does not: the shape, and what was chosen for a client.
    let variety: String
    let producers: ProducerTable
    let watch: SourceWatch
    /// The same for all choices: they change no text.
    let subtitles: SubtitleService
    let images: ImageService

    /// What all titles of an engine share.
    struct Surroundings: Sendable {
        var store: SegmentStore
        var budget: ProducerBudget
        var producersPerTitle: Int
        var plans: PlanStore?
        /// How remote sources are opened.
        var transport = TransportOptions()
        var graphSettings: [String: String] = [:]
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
        let (plans, transport) = (surroundings.plans, surroundings.transport)
        let opening = Locked<(any ByteSource)?>(nil)
        let planned = try await withTaskCancellationHandler {
            try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
                defer { opening.withLock { $0 = nil } }
                var title = try TitleInspector.inspect(source, store: plans, options: transport) { bytes in
                    opening.withLock { $0 = bytes }
                }
                title.facts.sidecars = Sidecars.find(beside: source)
                return title
            }
        } onCancel: {
            opening.withLock { $0 }?.interrupt()
        }
        try Task.checkCancellation()
        let (facts, plan) = (planned.facts, planned.plan)
        let graph = try surroundings.graphs.plan(
            carrying: facts, of: source, shape: shape, settings: surroundings.graphSettings)
        return Title(source, name, facts, plan, shape, graph, surroundings)
    }

    /// What is chosen for a client and changes bytes.
    struct Choice: Sendable, Hashable {
        /// The sound of the muxed shape; nil for the first one.
        var sound: StreamID?
        var vision = DolbyVisionHandling.auto

        static let plain = Choice()

        func apply(to facts: inout TitleFacts) {
            facts.muxedSound = sound
            facts.dolbyVision = vision
        }
    }

    var choice: Choice { Choice(sound: facts.muxedSound, vision: facts.dolbyVision) }

    /// The same title with other choices; nothing is looked at again.
    func with(_ choice: Choice, in surroundings: Surroundings) -> Title {
        var facts = facts
        choice.apply(to: &facts)
        return Title(source, name, facts, plan, shape, graph, surroundings, sharing: self)
    }

    private let graph: GraphPlan

    private init(
        _ source: String, _ name: String, _ facts: TitleFacts, _ plan: TitlePlan, _ shape: Shape, _ graph: GraphPlan,
        _ surroundings: Surroundings, sharing other: Title? = nil
    ) {
        self.name = name
        self.source = source
        self.facts = facts
        self.plan = plan
        self.shape = shape
        self.graph = graph
        planID = PlanIdentity.digits(facts, plan, source: source)
        variety =
            shape.rawValue + (facts.muxedSound.map { "-\($0.index)" } ?? "")
            + (facts.dolbyVision == .auto ? "" : "-\(facts.dolbyVision.rawValue)")
        key = "\(planID)/\(variety)/\(source)"
        watch = SourceWatch(
            source: source, identity: facts.identity, transport: surroundings.transport, clock: surroundings.clock)
        self.subtitles =
            other?.subtitles
            ?? SubtitleService(
                source: source, facts: facts, plan: plan, transport: surroundings.transport, clock: surroundings.clock,
                logger: surroundings.logger)
        images =
            other?.images
            ?? ImageService(
                source: source, facts: facts, plan: plan, transport: surroundings.transport, clock: surroundings.clock,
                logger: surroundings.logger)
        var settings = ProducerTable.Settings(plan: graph, facts: facts, segments: plan, titleKey: key)
        settings.rule.limit = max(1, surroundings.producersPerTitle)
        settings.transport = surroundings.transport
        settings.logger = surroundings.logger
        settings.clock = surroundings.clock
        producers = ProducerTable(settings: settings, store: surroundings.store, budget: surroundings.budget)
    }

    /// An initialization section. It needs no graph: facts and plan are all it is made from.
    ///
    /// - Throws: `.unsupported` where a track cannot be carried.
    func section(_ entry: TitleLayout.Entry, version: Int) throws(NodeFailure) -> [UInt8] {
        var tracks: [TrackDescription] = []
        for (number, stream) in entry.streams.enumerated() {
            let last = stream == facts.video ? max(1, facts.versions.count) - 1 : 0
            tracks.append(
                try TrackFactory.track(facts, plan, stream, version: max(0, min(version, last)), id: number + 1))
        }
        return try InitializationSection(tracks: tracks).bytes()
    }

    /// Names of the media playlists: `video`, `audio-1`, `subs-1`, …
    public var renditions: [String] { layout.names + subtitles.tracks.map(\.rendition) }

    var layout: TitleLayout { TitleLayout(facts, shape) }

    /// The running graph's numbers; nil while nothing is produced.
    public var snapshot: GraphSnapshot? { snapshots.first }

    /// The numbers of all its running graphs.
    public var snapshots: [GraphSnapshot] { producers.statuses.compactMap(\.snapshot) }
}
