import Glibc
import SluiceBitstream
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// Makes the subtitle segments of a title: from cues that were read, or by reading the source beside the producers.
///
/// Nothing that carries pictures ever waits for it. One thread reads a title at a time; it is started by a request, and
/// ends when what was asked for is known.
final class SubtitleService: Sendable {
    enum Answer: Sendable {
        case ready([UInt8])
        case pending(String)
        case failed(NodeFailure)
    }

    /// How long a request waits; then the player is told to ask again.
    static let patience = Duration.seconds(3)

    /// Titles that may be read for subtitles at one time, in the whole process.
    private static let readerLimit = 8
    private static let readers = Locked(0)

    let tracks: [SubtitleTrack]
    private let source: String
    private let facts: TitleFacts
    private let plan: TitlePlan
    private let transport: TransportOptions
    private let clock: any TimeSource
    private let logger: Logger
    private let files = SidecarReader()
    let store: SubtitleStore

    init(
        source: String, facts: TitleFacts, plan: TitlePlan, transport: TransportOptions = TransportOptions(),
        clock: any TimeSource, logger: Logger, reach: SubtitleReach? = nil
    ) {
        self.source = source
        self.facts = facts
        self.plan = plan
        self.transport = transport
        self.clock = clock
        self.logger = logger
        tracks = facts.textTracks
        store = SubtitleStore(reach ?? SubtitleReach(facts, size: Self.size(of: source)))
    }

    /// Nobody can ask any more.
    deinit { store.stop() }

    func track(_ rendition: String) -> SubtitleTrack? { tracks.first { $0.rendition == rendition } }

    /// The WebVTT file of a segment.
    func segment(_ track: SubtitleTrack, _ index: Int, style: WebVTTWriter.Style = .full) async -> Answer {
        let range = SubtitleSegment.range(plan, index)
        let stream: StreamID
        switch track.origin {
        case .stream(let id): stream = id
        case .file(let sidecar):
            let cues = await beside(sidecar, track.codec)
            switch cues {
            case .success(let cues):
                return .ready(SubtitleSegment.bytes(TextTimeline.cues(cues, in: range), style: style))
            case .failure(let failure) where failure.code == .sourceChanged: return .failed(failure)
            // What cannot be read has no cues: nobody waits for them.
            case .failure: return .ready(SubtitleSegment.bytes([], style: style))
            }
        }
        switch await wait(store.reach.need(range)) {
        case .ready: return .ready(SubtitleSegment.bytes(store.cues(stream, in: range), style: style))
        case .expired: return .pending("the subtitles of segment \(index) are not read yet")
        case .failed(let failure): return .failed(failure)
        }
    }

    // MARK: - Private

    private func beside(_ sidecar: SubtitleTrack.Sidecar, _ codec: CodecName) async -> Result<[TextCue], NodeFailure> {
        do { return .success(try await files.cues(sidecar, codec)) } catch {
            let failure = error as? NodeFailure ?? NodeFailure(.internalInvariant, "\(error)")
            logger.warning("\(sidecar.path): \(failure)")
            return .failure(failure)
        }
    }

    private func wait(_ need: Range<Int64>) async -> SubtitleStore.Outcome {
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
        let (source, facts, transport, logger) = (source, facts, transport, logger)
        BlockingThreads.shared.submit { [store] in
            do throws(NodeFailure) { try Self.read(source, facts, transport, store) } catch {
                if error.code != .cancelled { logger.warning("\(source): subtitles: \(error)") }
                store.failed(error)
            }
            Self.readers.withLock { $0 -= 1 }
            BlockingThreads.shared.release()
        }
    }

    private static func read(
        _ source: String, _ facts: TitleFacts, _ transport: TransportOptions, _ store: SubtitleStore
    ) throws(NodeFailure) {
        var mayRead = true
        let bytes = try Transport.open(source, options: transport) { mayRead = store.adopt($0) }
        defer { bytes.close() }
        guard mayRead else { return }
        try SubtitleReader(facts, pacing: store.reach.pacing).run(bytes, hint: source, store)
    }

    /// Bytes of a local file; nil for everything else.
    private static func size(of source: String) -> Int64? {
        guard case .file(let path)? = try? SourceLocator(source) else { return nil }
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(info.st_size)
    }
}
