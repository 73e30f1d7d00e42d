import SluiceCore
import SluiceNodes

/// Which playlists a title has, and what each of them carries. Pure.
struct TitleLayout: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// `video`, `audio-1`, …
        var name: String
        /// The first one leads: its segments are the playlist's.
        var streams: [StreamID]
        /// Configurations that the playlist goes through.
        var versions: Int
    }

    var entries: [Entry] = []

    init(_ facts: TitleFacts, _ shape: Title.Shape) {
        let versions = max(1, facts.versions.count)
        switch shape {
        case .muxed:
            guard !facts.muxed.isEmpty else { return }
            let isPicture = facts.video != nil
            entries = [
                Entry(name: isPicture ? "video" : "audio-1", streams: facts.muxed, versions: isPicture ? versions : 1)
            ]
        case .renditions:
            if let video = facts.video { entries.append(Entry(name: "video", streams: [video], versions: versions)) }
            for (number, id) in facts.audio.enumerated() {
                entries.append(Entry(name: "audio-\(number + 1)", streams: [id], versions: facts.sections(of: id)))
            }
        }
    }

    var names: [String] { entries.map(\.name) }

    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }
}
