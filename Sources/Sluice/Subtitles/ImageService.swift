import SluiceAV
import SluiceBitstream
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// Serves bitmap subtitles as pictures: the packets around a segment are read, decoded and cut to what is seen.
///
/// What a window holds is a function of the plan and the packets around it, so that any machine can make any picture.
final class ImageService: Sendable {
    private struct State {
        /// Newest use last.
        var fillers: [(stream: StreamID, filler: SubtitleFiller)] = []
        var windows: [(stream: StreamID, window: ImageWindow)] = []
    }

    /// Tracks of a title whose packets are kept at one time.
    private static let trackLimit = 3
    /// Windows that are kept decoded, and bytes of their pixels.
    private static let windowLimit = 12
    private static let windowBytes = 24 << 20
    /// Bytes of the pixels of one window; what goes beyond is left out.
    private static let pixelLimit = 96 << 20

    let tracks: [SubtitleTrack]
    private let source: String
    private let facts: TitleFacts
    private let plan: TitlePlan
    private let transport: TransportOptions
    private let clock: any TimeSource
    private let logger: Logger
    private let state = Locked(State())

    init(
        source: String, facts: TitleFacts, plan: TitlePlan, transport: TransportOptions = TransportOptions(),
        clock: any TimeSource, logger: Logger
    ) {
        self.source = source
        self.facts = facts
        self.plan = plan
        self.transport = transport
        self.clock = clock
        self.logger = logger
        tracks = facts.imageTracks
    }

    func track(_ rendition: String) -> SubtitleTrack? { tracks.first { $0.rendition == rendition } }

    /// The list of a track's windows: when each begins, in seconds, and the name of its cues.
    func list(_ track: SubtitleTrack) -> [UInt8] {
        let windows = plan.segments.indices.map { index -> JSONValue in
            let range = SubtitleSegment.range(plan, index)
            return [
                "start": .real(Double(max(0, range.lowerBound)) / 1_000),
                "end": .real(Double(range.upperBound) / 1_000),
                "cues": .string("cues-\(index).json"),
            ]
        }
        let json: JSONValue = ["codec": .string(track.codec.rawValue), "windows": .array(windows)]
        return Array(json.encoded().utf8)
    }

    /// The cues of a segment as JSON.
    func cues(_ track: SubtitleTrack, _ index: Int) async -> SubtitleAnswer<[UInt8]> {
        await window(track, index).map { window in
            Array(window.json(facts, isDisc: track.codec == "hdmv_pgs_subtitle").encoded().utf8)
        }
    }

    /// A picture; nil where the track has none of that name.
    func picture(_ track: SubtitleTrack, _ name: ImageName) async -> SubtitleAnswer<[UInt8]?> {
        switch await window(track, name.segment) {
        case .ready(let window):
            guard let object = window.entries.first(where: { $0.name == name })?.cue.object else { return .ready(nil) }
            do {
                return .ready(
                    try await BlockingThreads.shared.run { () throws(NodeFailure) in
                        try PNGEncoder.encode(object.pixels, width: object.width, height: object.height)
                    })
            } catch { return .failed(error) }
        case .pending(let reason): return .pending(reason)
        case .failed(let failure): return .failed(failure)
        }
    }

    // MARK: - Private

    private func window(_ track: SubtitleTrack, _ index: Int) async -> SubtitleAnswer<ImageWindow> {
        guard let stream = track.stream, let format = facts.format(stream) else {
            return .failed(NodeFailure(.unsupported, "no such stream"))
        }
        if let known = cached(stream, index) { return .ready(known) }
        let range = SubtitleSegment.range(plan, index)
        let around = ImageReach.around(range)
        let filler = filler(stream)
        switch await filler.wait(around) {
        case .ready: break
        case .expired: return .pending("the subtitles of segment \(index) are not read yet")
        case .failed(let failure): return .failed(failure)
        }
        let packets = filler.store.packets(in: around)
        let (plan, isPerceptual) = (plan, isPerceptual && format.codec == "hdmv_pgs_subtitle")
        let plane = facts.imagePlane(format.codec)
        do {
            let window = try await BlockingThreads.shared.run { () throws(NodeFailure) -> ImageWindow in
                let decoder = try BitmapDecoder(
                    format, convert: isPerceptual ? { PerceptualPalette.standard($0) } : { $0 })
                var displays: [BitmapDisplay] = []
                var room = Self.pixelLimit
                for packet in packets where room > 0 {
                    guard let display = decoder.decode(packet.bytes, at: packet.time) else { continue }
                    room -= display.objects.reduce(0) { $0 + $1.pixels.count }
                    displays.append(display)
                }
                displays.sort { $0.start < $1.start }
                let cues = BitmapTimeline.cues(displays, in: range, plane: plane)
                return ImageWindow(
                    segment: index,
                    entries: cues.map { cue in
                        let home = SubtitleSegment.index(plan, at: cue.start)
                        return ImageWindow.Entry(
                            cue: cue, name: ImageName(cue.object, segment: home, number: cue.number))
                    })
            }
            keep(stream, window)
            return .ready(window)
        } catch { return .failed(error) }
    }

    private var isPerceptual: Bool {
        guard let video = facts.video else { return false }
        return (try? TrackFactory.track(facts, video).entry.videoRange) == .pq
    }

    private func filler(_ stream: StreamID) -> SubtitleFiller {
        state.withLock { state in
            if let place = state.fillers.firstIndex(where: { $0.stream == stream }) {
                let known = state.fillers.remove(at: place)
                state.fillers.append(known)
                return known.filler
            }
            var reach = SubtitleReach(facts, size: nil)
            reach.carry = SubtitleReach.usualCarry
            let filler = SubtitleFiller(
                source: source, facts: facts, transport: transport, clock: clock, logger: logger,
                store: SubtitleStore(reach), wanted: .packets(stream))
            state.fillers.append((stream, filler))
            if state.fillers.count > Self.trackLimit { state.fillers.removeFirst() }
            return filler
        }
    }

    private func cached(_ stream: StreamID, _ index: Int) -> ImageWindow? {
        state.withLock { $0.windows.first { $0.stream == stream && $0.window.segment == index }?.window }
    }

    private func keep(_ stream: StreamID, _ window: ImageWindow) {
        func bytes(_ window: ImageWindow) -> Int { window.entries.reduce(0) { $0 + $1.cue.object.pixels.count } }
        state.withLock { state in
            state.windows.removeAll { $0.stream == stream && $0.window.segment == window.segment }
            state.windows.append((stream, window))
            while state.windows.count > Self.windowLimit
                || (state.windows.count > 1 && state.windows.reduce(0) { $0 + bytes($1.window) } > Self.windowBytes)
            {
                state.windows.removeFirst()
            }
        }
    }
}

/// Which packets the pictures of a segment are made from. Pure.
enum ImageReach {
    /// From a minute before it, so that a display that began within ``BitmapTimeline/cap`` finds what it refers to, to as
    /// much behind it as a display lasts.
    static func around(_ segment: Range<Int64>) -> Range<Int64> {
        let start = max(0, segment.lowerBound &- SubtitleReach.usualCarry)
        return min(start, segment.lowerBound)..<(max(segment.upperBound, start) &+ BitmapTimeline.cap)
    }
}
