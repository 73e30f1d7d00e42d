import SluiceAV
import SluiceBitstream
public import SluiceCore
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// A subtitle track of a source as one file, on the timeline of the title. Blocks.
public struct SubtitleExport: Sendable, Hashable {
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case vtt, srt, json
    }

    /// What was written.
    public struct Result: Sendable, Hashable {
        public var text: String
        public var cues: Int
        /// The track's name in playlists: `subs-1`.
        public var rendition: String
        public var codec: String
        public var language: String?
    }

    /// The track: 1 is the first one.
    public var track: Int
    public var format: Format

    public init(track: Int, format: Format) {
        self.track = track
        self.format = format
    }

    /// - Parameters:
    ///   - source: path or URL.
    ///   - onOpen: takes the opened source, so that its reads can be interrupted.
    /// - Throws: what the source and the plan builder throw; `.invalidOption` for a track that there is not.
    public func run(_ source: String, onOpen: (any ByteSource) -> Void = { _ in }) throws(NodeFailure) -> Result {
        let bytes = try Transport.open(source) { onOpen($0) }
        defer { bytes.close() }
        var facts = try Self.facts(bytes, hint: source)
        facts.sidecars = Sidecars.find(beside: source)
        let tracks = facts.textTracks
        guard tracks.indices.contains(track - 1) else {
            throw NodeFailure(
                .invalidOption,
                tracks.isEmpty
                    ? "no text track in or beside the source" : "no text track \(track); expected 1 to \(tracks.count)")
        }
        let chosen = tracks[track - 1]
        let cues = try cues(chosen, facts, source, onOpen)
        let text =
            switch format {
            case .vtt: WebVTTWriter(mapsTime: false).text(cues)
            case .srt: SubRipWriter.text(cues)
            case .json: Self.json(cues).encoded() + "\n"
            }
        return Result(
            text: text, cues: cues.count, rendition: chosen.rendition, codec: chosen.codec.rawValue,
            language: chosen.language)
    }

    /// What is known of a source; of one that cannot be served, its streams and where it begins.
    static func facts(_ bytes: any ByteSource, hint: String) throws(NodeFailure) -> TitleFacts {
        do throws(NodeFailure) { return try PlanBuilder.title(bytes, hint: hint).facts } catch {
            guard error.code == .unsupported || error.code == .malformedInput else { throw error }
            let reader = try FormatReader(source: bytes, hint: hint)
            var facts = TitleFacts(
                formatName: reader.formatName, streams: reader.streams,
                origin: reader.startTime ?? Timestamp(0, .microseconds))
            facts.video = reader.streams.first { $0.type == .video && $0.parked == nil }?.id
            facts.identity = bytes.identity
            return facts
        }
    }

    private func cues(
        _ track: SubtitleTrack, _ facts: TitleFacts, _ source: String, _ onOpen: (any ByteSource) -> Void
    ) throws(NodeFailure) -> [TextCue] {
        switch track.origin {
        case .file(let sidecar):
            return TextTimeline.cues(try Sidecars.cues(sidecar, track.codec), in: Int64.min..<Int64.max)
        case .stream(let id): return try PackageSubtitles.read(facts, source, onOpen).all(id)
        }
    }

    private static func json(_ cues: [TextCue]) -> JSONValue {
        .array(
            cues.map { cue in
                var fields: [JSONValue.Member] = [
                    .init("start", .real(Double(cue.start) / 1_000)),
                    .init("end", .real(Double(cue.end ?? cue.start) / 1_000)), .init("text", .string(cue.text.plain)),
                ]
                if let placement = cue.placement {
                    fields.append(.init("alignment", .integer(placement.alignment)))
                    if let anchor = placement.anchor {
                        fields.append(.init("anchor", .array([.real(anchor.x), .real(anchor.y)])))
                    }
                }
                if cue.text.runs.contains(where: { $0.style != TextStyle() }) {
                    fields.append(.init("runs", .array(cue.text.runs.map(run))))
                }
                return .object(fields)
            })
    }

    private static func run(_ run: TextRun) -> JSONValue {
        [
            "text": .string(run.text), "bold": .boolean(run.style.isBold), "italic": .boolean(run.style.isItalic),
            "underline": .boolean(run.style.isUnderlined), "color": run.style.color.map { .string($0.text) } ?? .null,
        ]
    }
}
