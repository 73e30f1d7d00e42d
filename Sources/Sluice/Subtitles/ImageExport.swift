import Glibc
import SluiceAV
public import SluiceCore
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// A bitmap subtitle track of a source as PNG files and a list of their times. Blocks.
public struct ImageExport: Sendable, Hashable {
    /// What was written.
    public struct Result: Sendable, Hashable {
        /// Pictures shown, and files they are in.
        public var cues: Int
        public var files: Int
        /// The track's name: `images-1`.
        public var rendition: String
        public var codec: String
        public var language: String?
    }

    /// Bytes of the packets of the track.
    private static let packetBytes = 256 << 20

    /// The track: 1 is the first one.
    public var track: Int

    public init(track: Int) { self.track = track }

    /// - Parameters:
    ///   - source: path or URL.
    ///   - folder: created where it is not there; `cues.json` comes last.
    ///   - onOpen: takes the opened source, so that its reads can be interrupted.
    /// - Throws: what the source and the plan builder throw; `.invalidOption` for a track that there is not;
    ///   `.limitExceeded` for one of more than 256 MiB.
    public func run(
        _ source: String, to folder: String, onOpen: (any ByteSource) -> Void = { _ in }
    ) throws(NodeFailure) -> Result {
        let bytes = try Transport.open(source) { onOpen($0) }
        let facts: TitleFacts
        do {
            defer { bytes.close() }
            facts = try SubtitleExport.facts(bytes, hint: source)
        }
        let tracks = facts.imageTracks
        guard tracks.indices.contains(track - 1), let id = tracks[track - 1].stream, let format = facts.format(id)
        else {
            throw NodeFailure(
                .invalidOption,
                tracks.isEmpty
                    ? "no bitmap track in the source" : "no bitmap track \(track); expected 1 to \(tracks.count)")
        }
        let chosen = tracks[track - 1]
        let again = try Transport.open(source) { onOpen($0) }
        defer { again.close() }
        let sink = PacketCollector(limit: Self.packetBytes)
        try SubtitleReader(facts, pacing: nil, wanted: .packets(id)).run(again, hint: source, sink)
        let decoder = try BitmapDecoder(format)
        var displays = try sink.packets().compactMap { decoder.decode($0.bytes, at: $0.time) }
        displays.sort { $0.start < $1.start }
        let cues = BitmapTimeline.cues(
            displays, in: Int64.min..<Int64.max, plane: facts.imagePlane(chosen.codec))
        let files = try write(cues, chosen, facts, folder, source)
        return Result(
            cues: cues.count, files: files, rendition: chosen.rendition, codec: chosen.codec.rawValue,
            language: chosen.language)
    }

    private func write(
        _ cues: [BitmapCue], _ track: SubtitleTrack, _ facts: TitleFacts, _ folder: String, _ source: String
    ) throws(NodeFailure) -> Int {
        guard mkdir(folder, 0o755) == 0 || errno == EEXIST else {
            throw NodeFailure(.invalidOption, "folder '\(folder)': \(String(cString: strerror(errno)))")
        }
        // Equal pictures are one file: names hold the content, and the first cue that shows it.
        var names: [String: ImageName] = [:]
        var entries: [ImageWindow.Entry] = []
        for (number, cue) in cues.enumerated() {
            let own = ImageName(cue.object, segment: number, number: cue.number)
            let name = names[own.hash] ?? own
            entries.append(ImageWindow.Entry(cue: cue, name: name))
            guard names[own.hash] == nil else { continue }
            names[own.hash] = own
            let png = try PNGEncoder.encode(cue.object.pixels, width: cue.object.width, height: cue.object.height)
            try Self.write(png, "\(folder)/\(own.text)", source)
        }
        let list = ImageWindow(segment: 0, entries: entries).json(facts, isDisc: track.codec == "hdmv_pgs_subtitle")
        try Self.write(Array(list.encoded().utf8), "\(folder)/cues.json", source)
        return names.count
    }

    private static func write(_ bytes: [UInt8], _ path: String, _ source: String) throws(NodeFailure) {
        let file = try OutputFile(path: path, inputs: [source])
        try file.write([ByteChunk(bytes)])
        try file.commit()
    }
}

/// Keeps all packets of a stream.
private final class PacketCollector: SubtitleSink {
    private struct State {
        var packets: [StoredPacket] = []
        var bytes = 0
        var hasBegun = false
        var isFull = false
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = limit }

    func nextGoal() -> SubtitleReader.Goal? {
        state.withLock { state in
            defer { state.hasBegun = true }
            return state.hasBegun ? nil : SubtitleReader.Goal(from: 0)
        }
    }

    func take(_ found: [SubtitleReader.Found], covered: Range<Int64>) -> Bool {
        state.withLock { state in
            for case .packet(let packet) in found.map(\.item) {
                state.bytes += packet.bytes.count
                state.isFull = state.isFull || state.bytes > limit
                if !state.isFull { state.packets.append(packet) }
            }
            return !state.isFull
        }
    }

    func packets() throws(NodeFailure) -> [StoredPacket] {
        let (packets, isFull) = state.withLock { ($0.packets, $0.isFull) }
        guard !isFull else { throw NodeFailure(.limitExceeded, "the track has more than \(limit) bytes") }
        return packets
    }
}
