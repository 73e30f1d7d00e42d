import SluiceBitstream
import SluiceCore
import SluiceNodes

/// How the multivariant playlist names the text tracks of a title. Pure.
enum SubtitleRendition {
    static let group = "subs"
    static let prefix = "subs-"

    /// - Parameter prefix: stands before the playlists' names.
    static func list(_ tracks: [SubtitleTrack], prefix: String) -> [Rendition] {
        // One at most may be the default, and what is forced is shown anyway.
        let preferred = tracks.first { $0.disposition.contains(.isDefault) && !$0.disposition.contains(.forced) }
        return tracks.enumerated().map { number, track in
            let tag = track.language.flatMap { LanguageTag.tag($0) }
            var rendition = Rendition(
                kind: .subtitles, group: group, name: track.title ?? track.language ?? "Subtitles \(number + 1)",
                uri: "\(prefix)\(track.rendition).m3u8")
            rendition.language = tag
            rendition.isForced = track.disposition.contains(.forced)
            rendition.isDefault = track == preferred
            rendition.characteristics = characteristics(track.disposition)
            // A player may choose by itself what it is told the language of, and never what somebody says about the film.
            rendition.isAutoselected =
                rendition.isDefault || (tag != nil && !track.disposition.contains(.commentary))
            return rendition
        }
    }

    /// - Note: HLS Authoring Specification for Apple Devices, 4.6.
    private static func characteristics(_ disposition: Disposition) -> [String] {
        guard !disposition.isDisjoint(with: [.hearingImpaired, .captions]) else { return [] }
        return ["public.accessibility.transcribes-spoken-dialog", "public.accessibility.describes-music-and-sound"]
    }
}
