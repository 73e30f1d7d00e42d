import SluiceBitstream
import SluiceCore
import SluiceNodes
import SluiceTransport

/// The subtitle renditions of a packaged title: one more look at the source, then every segment. Blocks.
struct PackageSubtitles {
    private let facts: TitleFacts
    private let plan: TitlePlan

    init(_ title: PlannedTitle) {
        facts = title.facts
        plan = title.plan
    }

    /// - Throws: what the source throws; `.limitExceeded` where a track holds more than is kept.
    func write(
        _ source: String, _ writer: PackageWriter, onOpen: (any ByteSource) -> Void
    ) throws(NodeFailure) {
        let tracks = facts.textTracks
        let store = tracks.contains { $0.stream != nil } ? try Self.read(facts, source, onOpen) : nil
        for track in tracks {
            var beside: [TextCue] = []
            if case .file(let sidecar) = track.origin { beside = try Sidecars.cues(sidecar, track.codec) }
            for index in plan.segments.indices {
                let range = SubtitleSegment.range(plan, index)
                let cues =
                    track.stream.flatMap { store?.cues($0, in: range) } ?? TextTimeline.cues(beside, in: range)
                try writer.write(
                    SegmentKey(rendition: track.rendition, role: .media(index: index)),
                    SubtitleSegment.bytes(cues, style: .full))
            }
        }
    }

    /// Reads the text tracks of a source whole.
    static func read(
        _ facts: TitleFacts, _ source: String, _ onOpen: (any ByteSource) -> Void
    ) throws(NodeFailure) -> SubtitleStore {
        var reach = SubtitleReach(facts, size: nil)
        reach.carry = nil
        let store = SubtitleStore(reach)
        let bytes = try Transport.open(source) { onOpen($0) }
        defer { bytes.close() }
        try SubtitleReader(facts, pacing: reach.pacing).run(bytes, hint: source, store)
        guard store.dropped == 0 else {
            throw NodeFailure(.limitExceeded, "\(store.dropped) cues more than the memory for subtitles holds")
        }
        return store
    }
}
