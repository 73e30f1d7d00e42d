public import SluiceCore
import SluiceDataflow
public import SluiceGraph
public import SluiceNodes
import SluiceTransport

/// Writes a whole title as files: what the origin would answer, once and for all.
///
/// Every file appears under its name when it is complete; the playlists come last, so that a folder with a playlist
/// has all its segments.
public struct Packager: Sendable {
    public var shape: Title.Shape
    public var graphs: GraphCatalog
    public var options = PlanBuilder.Options()
    /// What becomes of Dolby Vision, where the source has any.
    public var vision = DolbyVisionHandling.auto
    /// What becomes of sounds that cannot be copied.
    public var mode = BridgeMode.surround
    /// Called once everything is planned, before the first segment is made.
    public var whenPlanned: @Sendable () -> Void = {}
    /// Called now and then: segments written, segments there will be.
    public var progress: @Sendable (Int, Int) -> Void = { _, _ in }

    public init(shape: Title.Shape, graphs: GraphCatalog) {
        self.shape = shape
        self.graphs = graphs
    }

    /// - Parameters:
    ///   - source: path or URL.
    ///   - directory: created where it is not there.
    ///   - onOpen: takes the opened source, so that its reads can be interrupted.
    /// - Throws: what the source, the plan builder and the muxer throw; `.unsupported` where a stream cannot be carried.
    public func run(
        _ source: String, to directory: String, onOpen: @escaping @Sendable (any ByteSource) -> Void = { _ in }
    ) async throws -> PackageReport {
        let vision = vision
        var wanted = options
        if shape == .audio { wanted.leavesPictures = true }
        let options = wanted
        let title = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
            let bytes = try Transport.open(source) { onOpen($0) }
            defer { bytes.close() }
            var title = try Self.plan(bytes, hint: source, options)
            title.facts.dolbyVision = vision
            title.facts.sidecars = Sidecars.find(beside: source)
            return title
        }
        var wish = SoundWish()
        wish.mode = mode
        let offer = TitleOffer(title.facts, shape, .generic, wish)
        let served = shape == .muxed ? beside(title, offer) : title
        let playlists = TitlePlaylists(
            facts: served.facts, plan: title.plan, shape: shape, offer: shape == .muxed ? nil : offer)
        let entries = playlists.offeredEntries
        // Whatever cannot be named or carried is refused before anything is written.
        var texts = [("master.m3u8", try playlists.master())]
        let names = entries.map(\.name) + playlists.texts.map(\.rendition)
        for name in names { texts.append(("\(name).m3u8", playlists.media(name) ?? "")) }
        let graph = Self.tightened(try graphs.plan(carrying: served.facts, of: source, shape: shape))
        var layout = playlists.layout
        layout.entries = entries
        let writer = PackageWriter(source: source, directory: directory, layout: layout, texts: playlists.texts)
        try await BlockingThreads.shared.run { () throws(NodeFailure) in try writer.prepare() }
        whenPlanned()
        if entries.contains(where: { $0.bridge == nil }) { try await produce(graph, served, writer) }
        for sound in entries.compactMap(\.bridge) {
            var bridged = title
            bridged.facts = title.facts.bridging(sound, isAlone: true)
            try await produce(Self.tightened(try graphs.plan(bridging: source)), bridged, writer)
        }
        if !playlists.texts.isEmpty {
            try await BlockingThreads.shared.run { () throws(NodeFailure) in
                try PackageSubtitles(title).write(source, writer) { onOpen($0) }
            }
            try Task.checkCancellation()
        }
        let finished = texts
        try await BlockingThreads.shared.run { () throws(NodeFailure) in
            try writer.check(segments: title.plan.segments.count)
            for (name, text) in finished.reversed() { try writer.write(name, text) }
        }
        return PackageReport(
            title: title, shape: shape, playlists: texts.map(\.0), files: writer.files, bytes: writer.bytes)
    }

    /// The title with the sound of its muxed shape encoded anew, where the offer says so.
    private func beside(_ title: PlannedTitle, _ offer: TitleOffer) -> PlannedTitle {
        var title = title
        var choice = Title.Choice(vision: title.facts.dolbyVision)
        offer.chooseSound(&choice, of: title.facts)
        choice.apply(to: &title.facts)
        return title
    }

    /// A plan that promises nothing unseen: all is read anyway, so everything is looked at.
    private static func plan(
        _ bytes: any ByteSource, hint: String, _ options: PlanBuilder.Options
    ) throws(NodeFailure) -> PlannedTitle {
        var whole = options
        whole.mayBeProvisional = false
        return try PlanBuilder.title(bytes, hint: hint, options: whole)
    }

    /// Bytes that a link may hold: nobody waits for the first segment, so what is queued only costs memory and the
    /// processor's caches.
    private static let linkBytes = 256 << 10

    private static func tightened(_ plan: GraphPlan) -> GraphPlan {
        let links = plan.links.map { link in
            var link = link
            link.limits.bytes = min(link.limits.bytes, linkBytes)
            return link
        }
        return GraphPlan(
            name: plan.name, summary: plan.summary, nodes: plan.nodes, links: links, groups: plan.groups,
            memoryLimit: plan.memoryLimit)
    }

    private func produce(_ graph: GraphPlan, _ title: PlannedTitle, _ writer: PackageWriter) async throws {
        let queue = FragmentQueue()
        let resources = Resources.none.with(title.facts).with(title.plan).with(queue as any SegmentDestination)
        let runner = try GraphRunner(plan: graph, registry: StandardNodes.registry, resources: resources)
        let total = title.plan.segments.count * writer.layout.entries.count
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { queue.close() }
                do { try await runner.run() } catch let failure as GraphFailure { throw failure.failure }
            }
            tasks.addTask {
                do {
                    while await queue.waits() {
                        try await BlockingThreads.shared.run { () throws(NodeFailure) in
                            while try queue.take({ (fragment) throws(NodeFailure) in try writer.write(fragment) })
                                != nil
                            {}
                        }
                        progress(writer.files, total)
                    }
                } catch {
                    await runner.cancel()
                    throw error
                }
            }
            for try await _ in tasks {}
        }
        try Task.checkCancellation()
    }
}
