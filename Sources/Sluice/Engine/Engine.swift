public import SluiceCore
import SluiceDataflow
public import SluiceGraph

/// Titles, their producers and the store they share: everything a server needs that is no socket.
public actor Engine {
    public struct Options: Sendable {
        /// Bytes of finished segments kept in memory, for all titles together.
        public var storeBytes = 256 << 20
        /// Titles open at one time; the one used longest ago is closed for a new one.
        public var openTitles = 64
        /// How long a segment is waited for before the answer is 503.
        public var segmentDeadline = Duration.seconds(30)
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
    private let graphs: GraphCatalog
    private var titles: [TitleKey: (opening: Task<Title, any Error>, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0
    private var housekeeping: Task<Void, Never>?

    public init(library: Library, graphs: GraphCatalog, options: Options = Options()) {
        self.library = library
        self.graphs = graphs
        self.options = options
        store = SegmentStore(budget: options.storeBytes)
    }

    /// The open title of a source, opening it if need be; callers that come meanwhile share the opening.
    public func title(_ source: String, shape: Title.Shape) async throws -> Title {
        let key = TitleKey(source: source, shape: shape)
        uses += 1
        if let known = titles[key] {
            titles[key]?.lastUse = uses
            return try await known.opening.value
        }
        makeRoom()
        let (store, graphs, options) = (store, graphs, options)
        let opening = Task<Title, any Error> {
            try await Title.open(
                source, shape: shape, store: store, graphs: graphs, logger: options.logger, clock: options.clock)
        }
        titles[key] = (opening, uses)
        startHousekeeping()
        do { return try await opening.value } catch {
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
