import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// Reads a source into a store as far as requests want it.
///
/// One thread reads for a store at a time; a request starts it, and it ends when what was asked for is known.
final class SubtitleFiller: Sendable {
    /// How long a request waits; then the player is told to ask again.
    static let patience = Duration.seconds(3)

    /// Sources that may be read for subtitles at one time, in the whole process.
    private static let readerLimit = 8
    private static let readers = Locked(0)

    let store: SubtitleStore
    private let source: String
    private let facts: TitleFacts
    private let transport: TransportOptions
    private let clock: any TimeSource
    private let logger: Logger
    private let wanted: SubtitleReader.Wanted

    init(
        source: String, facts: TitleFacts, transport: TransportOptions, clock: any TimeSource, logger: Logger,
        store: SubtitleStore, wanted: SubtitleReader.Wanted = .texts
    ) {
        self.source = source
        self.facts = facts
        self.transport = transport
        self.clock = clock
        self.logger = logger
        self.store = store
        self.wanted = wanted
    }

    /// Another reading of the same source.
    func beside(_ wanted: SubtitleReader.Wanted) -> SubtitleFiller {
        SubtitleFiller(
            source: source, facts: facts, transport: transport, clock: clock, logger: logger,
            store: SubtitleStore(store.reach), wanted: wanted)
    }

    /// Nobody can ask any more.
    deinit { store.stop() }

    /// Waits until a stretch has been read.
    func wait(_ need: Range<Int64>) async -> SubtitleStore.Outcome {
        if store.covers(need) { return .ready }
        let limit = clock.now + Self.patience
        let id = Locked<UInt64?>(nil)
        let timer = Task { [clock, store] in
            do { try await clock.sleep(until: limit) } catch { return }
            if let id = id.withLock({ $0 }) { store.giveUp(id) }
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                guard let entered = store.add(need, continuation) else { return }
                id.withLock { $0 = entered.id }
                if entered.starts { startReading() }
                if Task.isCancelled { store.giveUp(entered.id) }
            }
        } onCancel: {
            if let id = id.withLock({ $0 }) { store.giveUp(id) }
        }
    }

    private func startReading() {
        let mayRead = Self.readers.withLock { count in
            guard count < Self.readerLimit else { return false }
            count += 1
            return true
        }
        guard mayRead else {
            return store.failed(NodeFailure(.exhausted, "as many sources are read for subtitles as may be"))
        }
        do throws(NodeFailure) { try BlockingThreads.shared.reserve() } catch {
            Self.readers.withLock { $0 -= 1 }
            return store.failed(error)
        }
        let (source, facts, transport, logger, wanted) = (source, facts, transport, logger, wanted)
        BlockingThreads.shared.submit { [store] in
            do throws(NodeFailure) { try Self.read(source, facts, transport, store, wanted) } catch {
                if error.code != .cancelled { logger.warning("\(source): subtitles: \(error)") }
                store.failed(error)
            }
            Self.readers.withLock { $0 -= 1 }
            BlockingThreads.shared.release()
        }
    }

    private static func read(
        _ source: String, _ facts: TitleFacts, _ transport: TransportOptions, _ store: SubtitleStore,
        _ wanted: SubtitleReader.Wanted
    ) throws(NodeFailure) {
        var mayRead = true
        let bytes = try Transport.open(source, options: transport) { mayRead = store.adopt($0) }
        defer { bytes.close() }
        guard mayRead else { return }
        try SubtitleReader(facts, pacing: store.reach.pacing, wanted: wanted).run(bytes, hint: source, store)
    }
}
