public import SluiceCore
import SluiceDataflow
public import SluiceGraph
import SluiceNodes

/// Titles, their producers and the store they share: everything a server needs that is no socket.
public actor Engine {
    public struct Options: Sendable {
        /// Bytes of finished segments kept in memory, for all titles together.
        public var storeBytes = 256 << 20
        /// Folder for segments that left memory; nil drops them. Only files of Sluice's own are touched in it.
        public var storeDirectory: String?
        /// Bytes of segments kept on disk.
        public var storeDiskBytes: Int64 = 4 << 30
        /// Graphs running at one time.
        public var producers = 16
        /// Graphs that decode and encode sound, beside the others, at one time.
        public var bridges = 8
        /// Graphs running for one title with one set of options.
        public var producersPerTitle = 2
        /// Titles open at one time; the one used longest ago is closed for a new one.
        public var openTitles = 64
        /// Without a request for this long a title's segments leave memory, for the disk where there is one.
        public var memoryTimeout = Duration.seconds(25)
        /// Without a request for this long a title is closed; the next request opens it again.
        public var titleTimeout = Duration.seconds(600)
        /// How long a segment is waited for before the answer is 503.
        public var segmentDeadline = Duration.seconds(30)
        /// Folder of stored plans, which need not be made again when a title is opened; nil keeps none.
        public var planDirectory: String?
        /// Plans the library's files in the background, so that first requests are quick. Needs ``planDirectory``.
        public var plansAhead = false
        /// Values for options of the graph files; each graph takes those that it has.
        public var graphSettings: [String: String] = [:]
        /// URLs that are listed beside the library's files; ``sources`` must admit them.
        public var remoteTitles: [String] = []
        /// Called when memory was given up because nobody watches: a moment to return it to the system.
        public var whenQuiet: @Sendable () -> Void = {}
        /// Who may ask.
        public var access = AccessPolicy.open
        /// Remote sources that requests may name.
        public var sources = SourcePolicy.none
        public var clock: any TimeSource = SystemTimeSource()
        public var logger = Logger.silent
        public init() {}
    }

    /// Something that is served.
    public struct Source: Sendable, Hashable {
        /// What lists call it.
        public var name: String
        /// Decoded components of its path below `/v1/`.
        public var components: [String]
        /// Path of its multivariant playlist, without a leading slash.
        public var masterPath: String { StatusReport.master(components) }
    }

    struct TitleKey: Hashable {
        var source: String
        var shape: Title.Shape
    }

    private struct Entry {
        var opening: Task<Title, any Error>
        var title: Title?
        var lastUse: UInt64
        /// The same title with other sounds in its muxed shape: at most one for each of them.
        var choices: [Title.Choice: Title] = [:]

        var titles: [Title] { (title.map { [$0] } ?? []) + choices.values }
    }

    public nonisolated let library: Library
    public nonisolated let options: Options
    nonisolated let store: SegmentStore
    nonisolated let catalog: TitleCatalog
    nonisolated let viewers: ViewerTable
    nonisolated let budget: ProducerBudget
    nonisolated let bridgeBudget: ProducerBudget
    nonisolated let fallbacks = FallbackTable()
    nonisolated let beacons = BeaconCounts()
    /// What happens, the newest 256 where nobody reads; for one reader.
    public nonisolated let events: AsyncStream<EngineEvent>
    private nonisolated let eventSink: AsyncStream<EngineEvent>.Continuation
    private let surroundings: Title.Surroundings
    private let planner: TitlePlanner?
    nonisolated let requests = RequestCounts()
    nonisolated let metricSources = Locked<[@Sendable (inout MetricsText) -> Void]>([])
    private var titles: [TitleKey: Entry] = [:]
    private var uses: UInt64 = 0
    private var housekeeping: Task<Void, Never>?
    private var closing: [UInt64: Task<Void, Never>] = [:]
    private var closings: UInt64 = 0

    public init(library: Library, graphs: GraphCatalog, options: Options = Options()) {
        self.library = library
        self.options = options
        (events, eventSink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
        let viewers = ViewerTable(clock: options.clock)
        self.viewers = viewers
        store = SegmentStore(
            budget: options.storeBytes, disk: Self.disk(options), positions: { viewers.positions })
        budget = ProducerBudget(limit: options.producers)
        bridgeBudget = ProducerBudget(limit: options.bridges)
        catalog = TitleCatalog(library: library, remote: options.remoteTitles, clock: options.clock)
        let plans = Self.planStore(options)
        var surroundings = Title.Surroundings(
            store: store, budget: budget, bridgeBudget: bridgeBudget, producersPerTitle: options.producersPerTitle,
            plans: plans, graphs: graphs,
            logger: options.logger, clock: options.clock)
        surroundings.transport = options.sources.transportOptions
        surroundings.graphSettings = options.graphSettings
        self.surroundings = surroundings
        planner = plans.flatMap { [catalog] plans in
            guard options.plansAhead else { return nil }
            return TitlePlanner(library: library, catalog: catalog, store: plans, logger: options.logger)
        }
        planner?.start()
    }

    /// Segments are made again where they cannot be kept.
    private static func disk(_ options: Options) -> SegmentDisk? {
        guard let directory = options.storeDirectory else { return nil }
        do throws(NodeFailure) {
            return try SegmentDisk(
                directory: directory, budget: options.storeDiskBytes, clock: options.clock, logger: options.logger)
        } catch {
            options.logger.warning("segments are kept in memory only: \(error)")
            return nil
        }
    }

    /// Titles open all the same where plans cannot be kept, only more slowly.
    private static func planStore(_ options: Options) -> PlanStore? {
        guard let directory = options.planDirectory else { return nil }
        do throws(NodeFailure) {
            try Folder.make(directory)
            return try PlanStore(directory: directory)
        } catch {
            options.logger.warning("plans are not kept: \(error)")
            return nil
        }
    }

    /// The open title of a source, opening it if need be; callers that come meanwhile share the opening.
    ///
    /// - Parameter name: what the library calls it; the source itself where nil.
    public func title(_ source: String, name: String? = nil, shape: Title.Shape) async throws -> Title {
        let key = TitleKey(source: source, shape: shape)
        uses += 1
        if let known = titles[key] {
            titles[key]?.lastUse = uses
            let title = try await known.opening.value
            // Whoever opens it may come back later than those who wait.
            if let entry = titles[key], entry.opening == known.opening { titles[key]?.title = title }
            return title
        }
        makeRoom()
        let surroundings = surroundings
        let opening = Task<Title, any Error> {
            try await Title.open(source, name: name ?? source, shape: shape, in: surroundings)
        }
        titles[key] = Entry(opening: opening, lastUse: uses)
        startHousekeeping()
        do {
            let title = try await opening.value
            titles[key]?.title = title
            catalog.note(title.name, .known(TitleSummary(title.facts, title.plan)))
            let kinds = title.dynamicMetadata
            if !kinds.isEmpty { emit(.dynamicMetadata(title: title.name, kinds: kinds)) }
            return title
        } catch {
            // The next request tries again: the file may be complete by then.
            titles[key] = nil
            throw error
        }
    }

    /// An open title with choices for a client. It shares facts and plan with that, and is closed with it.
    ///
    /// - Throws: `.exhausted` where the title was closed meanwhile.
    func title(_ base: Title, _ choice: Title.Choice) throws -> Title {
        let key = TitleKey(source: base.source, shape: base.shape)
        guard let entry = titles[key], entry.title === base else {
            throw NodeFailure(.exhausted, "the title was closed for another one")
        }
        // Whoever watches this one keeps what it was made from.
        base.producers.noteUse()
        if let known = entry.choices[choice] { return known }
        let title = try base.with(choice, in: surroundings)
        titles[key]?.choices[choice] = title
        return title
    }

    /// Titles that are open, in the order of their names.
    public func openTitles() -> [Title] {
        titles.values.flatMap(\.titles).sorted { ($0.name, $0.variety) < ($1.name, $1.variety) }
    }

    /// Everything that can be asked for by name: the files below the roots and the listed URLs. Reads directories.
    public var sources: [Source] {
        catalog.files.map { Source(name: $0.name, components: $0.components) }
    }

    nonisolated func emit(_ event: EngineEvent) { eventSink.yield(event) }

    /// Adds numbers of the host's own to `/metrics`: the closure is called for every answer.
    public nonisolated func addMetrics(_ source: @escaping @Sendable (inout MetricsText) -> Void) {
        metricSources.withLock { $0.append(source) }
    }

    /// Stops every producer; waits end without an answer.
    public func stop() async {
        housekeeping?.cancel()
        housekeeping = nil
        let entries = titles.values
        titles = [:]
        for entry in entries { entry.opening.cancel() }
        await planner?.stop()
        for entry in entries {
            if let title = try? await entry.opening.value { await title.stop() }
            for title in entry.choices.values { await title.stop() }
        }
        for task in closing.values { await task.value }
    }

    private func makeRoom() {
        while titles.count >= options.openTitles, let oldest = titles.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            titles[oldest.key] = nil
            let (opening, choices) = (oldest.value.opening, oldest.value.choices.values)
            opening.cancel()
            Task {
                if let title = try? await opening.value { await title.stop() }
                for title in choices { await title.stop() }
            }
        }
    }

    /// A title whose source is not what it was is closed; the next request plans it again.
    func forget(_ title: Title) {
        let entry = titles[TitleKey(source: title.source, shape: title.shape)]
        let isChoice = entry?.choices.values.contains { $0 === title } ?? false
        close(isChoice ? entry?.title ?? title : title)
    }

    /// Lets idle producers rest, gives memory back once nobody watches, and closes what nobody opens again.
    private func startHousekeeping() {
        guard housekeeping == nil else { return }
        let clock = options.clock
        housekeeping = Task { [weak self] in
            while !Task.isCancelled {
                do { try await clock.sleep(until: clock.now + .seconds(5)) } catch { return }
                guard let self else { return }
                await self.tidy()
            }
        }
    }

    private func tidy() async {
        var isQuiet = false
        for title in openTitles() {
            let unused = await title.rest()
            if unused >= options.memoryTimeout, store.rest(title: title.key) { isQuiet = true }
            if unused >= options.titleTimeout { close(title) }
        }
        if isQuiet { options.whenQuiet() }
    }

    /// Nobody finds it any more; its graphs stop on their own time.
    private func close(_ title: Title) {
        let key = TitleKey(source: title.source, shape: title.shape)
        var leaving = [title]
        // Another one may have been opened since.
        if let entry = titles[key], entry.title === title {
            leaving = entry.titles
            titles[key] = nil
        } else if titles[key]?.choices[title.choice] === title {
            titles[key]?.choices[title.choice] = nil
        }
        closings += 1
        let number = closings
        closing[number] = Task { [leaving] in
            for title in leaving { await title.stop() }
            self.closing[number] = nil
        }
    }
}
