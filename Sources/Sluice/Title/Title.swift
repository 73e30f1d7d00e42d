import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceDataflow
public import SluiceGraph
public import SluiceNodes
import SluiceTransport

/// One source with one set of options: its facts, its plan, its producer.
public final class Title: Sendable {
    public enum Shape: String, Sendable, Hashable, CaseIterable {
        /// A playlist a track.
        case renditions
        /// One sound beside the pictures in one playlist.
        case muxed
        /// The sounds of a film alone, cut on their own frames.
        case audio
    }

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
    private let bridges = BridgeTables()
    private let surroundings: Surroundings
    /// The same for all choices: they change no text.
    let subtitles: SubtitleService
    let images: ImageService

    /// What all titles of an engine share.
    struct Surroundings: Sendable {
        var store: SegmentStore
        var budget: ProducerBudget
        /// Of graphs that decode and encode sound.
        var bridgeBudget: ProducerBudget
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
        let planned = try await InterruptibleSource.run { (willOpen) throws(NodeFailure) -> PlannedTitle in
            var title = try TitleInspector.inspect(
                source, shape: shape, store: plans, options: transport, willOpen: willOpen)
            title.facts.sidecars = Sidecars.find(beside: source)
            return title
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
        /// The sound of the muxed shape where it is encoded anew.
        var bridge: BridgedSound?

        static let plain = Choice()

        func apply(to facts: inout TitleFacts) {
            facts.muxedSound = sound
            facts.dolbyVision = vision
            if let bridge { facts = facts.bridging(bridge, isAlone: false) }
        }
    }

    var choice: Choice {
        let bridge = facts.bridges.values.first
        return Choice(sound: bridge == nil ? facts.muxedSound : nil, vision: facts.dolbyVision, bridge: bridge)
    }

    /// The same title with other choices; nothing is looked at again.
    ///
    /// - Throws: `.unsupported` where no graph file bridges the sound beside the pictures.
    func with(_ choice: Choice, in surroundings: Surroundings) throws -> Title {
        var facts = facts
        choice.apply(to: &facts)
        let graph =
            choice.bridge == nil
            ? graph
            : try surroundings.graphs.plan(
                carrying: facts, of: source, shape: shape, settings: surroundings.graphSettings)
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
        self.surroundings = surroundings
        planID = PlanIdentity.digits(facts, plan, source: source)
        variety =
            shape.rawValue
            + (facts.bridges.values.first.map { "-\($0.rendition)" } ?? facts.muxedSound.map { "-\($0.index)" } ?? "")
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
        let settings = Self.settings(
            ProducerTable.Settings(plan: graph, facts: facts, segments: plan, titleKey: key), surroundings)
        producers = ProducerTable(settings: settings, store: surroundings.store, budget: surroundings.budget)
    }

    private static func settings(
        _ settings: ProducerTable.Settings, _ surroundings: Surroundings
    ) -> ProducerTable.Settings {
        var settings = settings
        settings.rule.limit = max(1, surroundings.producersPerTitle)
        settings.transport = surroundings.transport
        settings.logger = surroundings.logger
        settings.clock = surroundings.clock
        return settings
    }

    /// Who makes the segments of a playlist.
    ///
    /// - Throws: `.unsupported` where no graph file bridges sounds, `.limitExceeded` where too many renditions are open.
    func producers(of entry: TitleLayout.Entry) throws -> ProducerTable {
        guard let bridge = entry.bridge else { return producers }
        return try bridges.table(entry.name) {
            let graph = try surroundings.graphs.plan(bridging: source, settings: surroundings.graphSettings)
            let settings = ProducerTable.Settings(
                plan: graph, facts: facts.bridging(bridge, isAlone: true), segments: plan, titleKey: key)
            return ProducerTable(
                settings: Self.settings(settings, surroundings), store: surroundings.store,
                budget: surroundings.bridgeBudget)
        }
    }

    /// All its producers; those of bridged renditions by their names.
    var tables: [(rendition: String?, table: ProducerTable)] {
        [(nil, producers)] + bridges.all.map { ($0.rendition, $0.table) }
    }

    /// Stops graphs that have been idle for long enough; the time since anything was asked for.
    func rest() async -> Duration {
        let unused = await producers.rest()
        return min(unused, await bridges.rest(forgetting: .seconds(60)) ?? unused)
    }

    /// Ends every wait and every graph, for good.
    func stop() async {
        await producers.stop()
        await bridges.stop()
    }

    /// An initialization section. It needs no graph: facts and plan are all it is made from.
    ///
    /// - Throws: `.unsupported` where a track cannot be carried.
    func section(_ entry: TitleLayout.Entry, version: Int) throws(NodeFailure) -> [UInt8] {
        let facts = entry.facts(facts)
        var tracks: [TrackDescription] = []
        for (number, stream) in entry.streams.enumerated() {
            let isLed = entry.streams.first == facts.video
            let section = isLed ? facts.section(of: stream, version: version) : version
            let last = facts.sections(of: stream) - 1
            tracks.append(
                try TrackFactory.track(facts, plan, stream, version: max(0, min(section, last)), id: number + 1))
        }
        return try InitializationSection(tracks: tracks).bytes()
    }

    /// A playlist of the title; nil for a name it does not have.
    func entry(_ name: String) -> TitleLayout.Entry? { layout.entry(name, of: facts, shape) }

    /// Metadata of each picture that the pictures are proven to carry.
    var dynamicMetadata: [String] {
        guard let video = facts.video, let signal = TrackFactory.signal(facts, video) else { return [] }
        return signal.dynamic.map(\.rawValue) + (signal.rpu == nil ? [] : ["dv"])
    }

    /// Names of the media playlists: `video`, `audio-1`, `subs-1`, …
    public var renditions: [String] { layout.names + subtitles.tracks.map(\.rendition) }

    var layout: TitleLayout { TitleLayout(facts, shape) }

    /// The running graph's numbers; nil while nothing is produced.
    public var snapshot: GraphSnapshot? { snapshots.first }

    /// The numbers of all its running graphs.
    public var snapshots: [GraphSnapshot] { tables.flatMap { $0.table.statuses.compactMap(\.snapshot) } }
}
