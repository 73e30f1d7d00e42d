import Glibc
import SluiceBitstream
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTransport

/// Makes the subtitle segments of a title: from cues that were read, or by reading the source beside the producers.
///
/// Nothing that carries pictures ever waits for it.
final class SubtitleService: Sendable {
    typealias Answer = SubtitleAnswer<[UInt8]>

    let tracks: [SubtitleTrack]
    private let facts: TitleFacts
    private let plan: TitlePlan
    private let scripts = Locked<[(stream: StreamID, filler: SubtitleFiller)]>([])
    private let logger: Logger
    private let filler: SubtitleFiller
    private let files = SidecarReader()
    var store: SubtitleStore { filler.store }

    init(
        source: String, facts: TitleFacts, plan: TitlePlan, transport: TransportOptions = TransportOptions(),
        clock: any TimeSource, logger: Logger, reach: SubtitleReach? = nil
    ) {
        self.facts = facts
        self.plan = plan
        self.logger = logger
        tracks = facts.textTracks
        filler = SubtitleFiller(
            source: source, facts: facts, transport: transport, clock: clock, logger: logger,
            store: SubtitleStore(reach ?? SubtitleReach(facts, size: Self.size(of: source))))
    }

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
        switch await filler.wait(store.reach.need(range)) {
        case .ready: return .ready(SubtitleSegment.bytes(store.cues(stream, in: range), style: style))
        case .expired: return .pending("the subtitles of segment \(index) are not read yet")
        case .failed(let failure): return .failed(failure)
        }
    }

    /// An ASS track as it was authored, with the times of the title.
    ///
    /// - Returns: `.failed` with `.unsupported` for other codecs, and for sources that are not read whole.
    func script(_ track: SubtitleTrack) async -> Answer {
        guard ["ass", "ssa"].contains(track.codec) else {
            return .failed(NodeFailure(.unsupported, "'\(track.rendition)' is \(track.codec); expected ass"))
        }
        switch track.origin {
        case .file(let sidecar):
            do {
                return .ready(
                    try await BlockingThreads.shared.run { () throws(NodeFailure) in try Sidecars.text(sidecar) })
            } catch { return .failed(error) }
        case .stream(let id):
            guard store.reach.carry == nil, let format = facts.format(id) else {
                return .failed(NodeFailure(.unsupported, "the script of a source that is too large to be read whole"))
            }
            let reading = scripts.withLock { scripts in
                if let known = scripts.first(where: { $0.stream == id }) { return known.filler }
                let filler = filler.beside(.packets(id))
                scripts.append((id, filler))
                if scripts.count > Self.scriptLimit { scripts.removeFirst() }
                return filler
            }
            switch await reading.wait(0..<Int64.max) {
            case .ready: break
            case .expired: return .pending("the script is not read yet")
            case .failed(let failure): return .failed(failure)
            }
            var builder = ASSScriptBuilder(header: format.extradata)
            for packet in reading.store.packets(in: Int64.min..<Int64.max) {
                builder.add(packet.bytes, start: packet.time, end: packet.time &+ packet.duration)
            }
            return .ready(builder.script)
        }
    }

    // MARK: - Private

    /// Scripts of a title whose events are kept.
    private static let scriptLimit = 2

    private func beside(_ sidecar: SubtitleTrack.Sidecar, _ codec: CodecName) async -> Result<[TextCue], NodeFailure> {
        do { return .success(try await files.cues(sidecar, codec)) } catch {
            let failure = error as? NodeFailure ?? NodeFailure(.internalInvariant, "\(error)")
            logger.warning("\(sidecar.path): \(failure)")
            return .failure(failure)
        }
    }

    /// Bytes of a local file; nil for everything else.
    private static func size(of source: String) -> Int64? {
        guard case .file(let path)? = try? SourceLocator(source) else { return nil }
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(info.st_size)
    }
}
