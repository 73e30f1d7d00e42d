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
        switch await title.subtitles.segment(track, index) {
        case .ready(let bytes): return immutable(.bytes(bytes), SubtitleSegment.type, title, key)
        case .pending(let reason): return .unavailable(reason, retryAfter: 1)
        case .failed(let failure):
            title.watch.note(failure)
            return Self.refusal(failure)
        }
    }

    /// A track as it was authored.
    func script(_ title: Title, _ track: SubtitleTrack) async -> Response {
        title.producers.noteUse()
        switch await title.subtitles.script(track) {
        case .ready(let bytes):
            return immutable(.bytes(bytes), "text/x-ssa; charset=utf-8", title, tag: "\(track.rendition)-script")
        case .pending(let reason): return .unavailable(reason, retryAfter: 1)
        case .failed(let failure):
            title.watch.note(failure)
            return Self.refusal(failure)
        }
    }

    /// Something of a bitmap track.
    func image(_ title: Title, _ track: SubtitleTrack, _ object: OriginPath.ImageObject) async -> Response {
        title.producers.noteUse()
        let answer: ImageService.Answer<[UInt8]?>
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
            switch await title.images.cues(track, index) {
            case .ready(let bytes): answer = .ready(bytes)
            case .pending(let reason): answer = .pending(reason)
            case .failed(let failure): answer = .failed(failure)
            }
        case .picture(let name):
            guard title.plan.segments.indices.contains(name.segment) else {
                return .notFound("outside the plan of \(title.plan.segments.count) segments")
            }
            (tag, type) = (name.text, "image/png")
            answer = await title.images.picture(track, name)
        }
        switch answer {
        case .ready(nil): return .notFound("segment has no such picture")
        case .ready(let bytes?):
            return immutable(.bytes(bytes), type, title, tag: "\(track.rendition)-\(tag)")
        case .pending(let reason): return .unavailable(reason, retryAfter: 1)
        case .failed(let failure):
            title.watch.note(failure)
            return Self.refusal(failure)
        }
    }
}
