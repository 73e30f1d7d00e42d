public import SluiceCore
import SluiceDataflow
public import SluiceGraph
import SluiceNodes

/// Titles, their producers and the store they share: everything a server needs that is no socket.
public actor Engine {
    public struct Options: Sendable {
        /// Bytes of finished segments kept in memory, for all titles together.
        public var storeBytes = 256 << 20
        /// Titles open at one time; the one used longest ago is closed for a new one.
        public var openTitles = 64
        /// How long a segment is waited for before the answer is 503.
        public var segmentDeadline = Duration.seconds(30)
        /// Folder of stored plans, which need not be made again when a title is opened; nil keeps none.
        public var planDirectory: String?
        /// Plans the library's files in the background, so that first requests are quick. Needs ``planDirectory``.
        public var plansAhead = false
        public var clock: any TimeSource = SystemTimeSource()
        public var logger = Logger.silent
        public init() {}
    }

    struct TitleKey: Hashable {
        var source: String
        var shape: Title.Shape
    }

    public nonisolated let library: Library
    public nonisolated let options: Options
    nonisolated let store: SegmentStore
    nonisolated let catalog: TitleCatalog
    nonisolated let viewers: ViewerTable
    private let surroundings: Title.Surroundings
    private let planner: TitlePlanner?
    private var titles: [TitleKey: (opening: Task<Title, any Error>, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    private var housekeeping: Task<Void, Never>?

    public init(library: Library, graphs: GraphCatalog, options: Options = Options()) {
        self.library = library
        self.options = options
        store = SegmentStore(budget: options.storeBytes)
        catalog = TitleCatalog(library: library, clock: options.clock)
        viewers = ViewerTable(clock: options.clock)
        let plans = Self.planStore(options)
        surroundings = Title.Surroundings(
            store: store, plans: plans, graphs: graphs, logger: options.logger, clock: options.clock)
        planner = plans.flatMap { [catalog] plans in
            guard options.plansAhead else { return nil }
            return TitlePlanner(library: library, catalog: catalog, store: plans, logger: options.logger)
        }
        planner?.start()
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
            return try await known.opening.value
        }
        makeRoom()
        let surroundings = surroundings
        let opening = Task<Title, any Error> {
            try await Title.open(source, name: name ?? source, shape: shape, in: surroundings)
        }
        titles[key] = (opening, uses)
        startHousekeeping()
        do {
            let title = try await opening.value
            catalog.note(title.name, .known(TitleSummary(title.facts, title.plan)))
            return title
        } catch {
            // The next request tries again: the file may be complete by then.
            titles[key] = nil
            throw error
        }
    }

    /// Titles that are open, for status pages.
    public func openTitles() async -> [Title] {
        var list: [Title] = []
        for entry in titles.values { if let title = try? await entry.opening.value { list.append(title) } }
        return list
    }

    /// Stops every producer; waits end without an answer.
    public func stop() async {
        housekeeping?.cancel()
        housekeeping = nil
        await planner?.stop()
        for title in await openTitles() { await title.producer.stop() }
        titles = [:]
    }

    private func makeRoom() {
        while titles.count >= options.openTitles, let oldest = titles.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            titles[oldest.key] = nil
            let opening = oldest.value.opening
            Task { if let title = try? await opening.value { await title.producer.stop() } }
        }
    }

    /// Lets idle producers rest.
    private func startHousekeeping() {
        guard housekeeping == nil else { return }
        let clock = options.clock
        housekeeping = Task { [weak self] in
            while !Task.isCancelled {
                do { try await clock.sleep(until: clock.now + .seconds(5)) } catch { return }
                guard let self else { return }
                for title in await self.openTitles() { _ = await title.producer.rest() }
            }
        }
    }
}
