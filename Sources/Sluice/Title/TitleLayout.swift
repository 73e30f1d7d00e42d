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
        /// Where the sound is encoded anew; it has producers of its own then.
        var bridge: BridgedSound?
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
        case .renditions, .audio:
            if let video = facts.video { entries.append(Entry(name: "video", streams: [video], versions: versions)) }
            for (number, id) in facts.audio.enumerated() {
                entries.append(Entry(name: "audio-\(number + 1)", streams: [id], versions: facts.sections(of: id)))
            }
        }
    }

    /// A sound that is encoded anew.
    static func entry(_ sound: BridgedSound) -> Entry {
        Entry(name: sound.rendition, streams: [sound.stream], versions: 1, bridge: sound)
    }

    var names: [String] { entries.map(\.name) }

    func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

    /// Bridged sounds are entries of their own, whether or not anybody is offered them.
    func entry(_ name: String, of facts: TitleFacts, _ shape: Title.Shape) -> Entry? {
        if let own = entry(name) { return own }
        guard shape != .muxed, let name = BridgeName(name) else { return nil }
        return facts.bridged(name).map { Self.entry($0) }
    }
}

extension TitleLayout.Entry {
    /// The facts that describe what the playlist delivers.
    func facts(_ facts: TitleFacts) -> TitleFacts {
        bridge.map { facts.bridging($0, isAlone: true).delivered } ?? facts.delivered
    }
}
