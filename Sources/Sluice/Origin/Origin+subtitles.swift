import SluiceCore
import SluiceNodes

/// Subtitles: texts and pictures.
extension Origin {
    /// A segment of a subtitle rendition.
    func text(_ title: Title, _ track: SubtitleTrack, _ key: SegmentKey) async -> Response {
        guard case .media(let index) = key.role, title.plan.segments.indices.contains(index) else {
            return .notFound("outside the plan of \(title.plan.segments.count) segments")
        }
        title.producers.noteUse()
        let answer = await title.subtitles.segment(track, index)
        return response(answer.map { $0 }, SubtitleSegment.type, title, tag: key.entityTag)
    }

    /// A track as it was authored.
    func script(_ title: Title, _ track: SubtitleTrack) async -> Response {
        title.producers.noteUse()
        let answer = await title.subtitles.script(track)
        return response(answer.map { $0 }, "text/x-ssa; charset=utf-8", title, tag: "\(track.rendition)-script")
    }

    /// Something of a bitmap track.
    func image(_ title: Title, _ track: SubtitleTrack, _ object: OriginPath.ImageObject) async -> Response {
        title.producers.noteUse()
        let answer: SubtitleAnswer<[UInt8]?>
        let tag: String
        var type = "application/json"
        switch object {
        case .list:
            tag = "list"
            answer = .ready(title.images.list(track))
        case .cues(let index):
            guard title.plan.segments.indices.contains(index) else {
                return .notFound("outside the plan of \(title.plan.segments.count) segments")
            }
            tag = "cues-\(index)"
            answer = await title.images.cues(track, index).map { $0 }
        case .picture(let name):
            guard title.plan.segments.indices.contains(name.segment) else {
                return .notFound("outside the plan of \(title.plan.segments.count) segments")
            }
            (tag, type) = (name.text, "image/png")
            answer = await title.images.picture(track, name)
        }
        return response(answer, type, title, tag: "\(track.rendition)-\(tag)")
    }

    private func response(
        _ answer: SubtitleAnswer<[UInt8]?>, _ type: String, _ title: Title, tag: String
    ) -> Response {
        switch answer {
        case .ready(nil): return .notFound("segment has no such picture")
        case .ready(let bytes?): return immutable(.bytes(bytes), type, title, tag: tag)
        case .pending(let reason): return .unavailable(reason, retryAfter: 1)
        case .failed(let failure):
            title.watch.note(failure)
            return Self.refusal(failure)
        }
    }
}
