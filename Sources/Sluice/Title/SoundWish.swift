import SluiceCore
import SluiceNodes

/// What a viewer asks of the sounds of a title. Pure.
struct SoundWish: Sendable, Hashable {
    var mode = BridgeMode.surround
    /// Language tags, the favourite first.
    var languages: [String] = []
    /// Later than in the source, or sooner where negative.
    var delay = Duration.zero

    /// Milliseconds that sound can be moved either way.
    ///
    /// - Note: behaviours AB-30.
    static let longestDelay = 2_000
    static let languageLimit = 8

    static let plain = SoundWish()
}

/// In which order the sounds of a title are offered; the first is what players begin with. Pure.
enum SoundRank {
    /// The programme before commentaries and descriptions, then the languages that the viewer prefers, then the
    /// container's default and what is in its language, then what is copied.
    ///
    /// - Parameter copied: sounds that reach the client as they are; nil for those that can.
    static func order(_ facts: TitleFacts, _ languages: [String], copied: Set<StreamID>? = nil) -> [StreamID] {
        let copied = copied ?? Set(facts.audio)
        let sounds = facts.sounds
        let formats = sounds.map { facts.format($0) }
        let tags = formats.map { $0?.language.flatMap { LanguageTag.tag($0) } }
        let marked = formats.firstIndex { $0?.disposition.contains(.isDefault) ?? false && !isAside($0) }
        func rank(_ place: Int) -> [Int] {
            let wanted = languages.firstIndex { matches(tags[place], $0) } ?? languages.count
            let isOther = marked.map { tags[$0] != tags[place] } ?? false
            return [
                isAside(formats[place]) ? 1 : 0, wanted, isOther ? 1 : 0, copied.contains(sounds[place]) ? 0 : 1,
                place,
            ]
        }
        return sounds.indices.sorted { rank($0).lexicographicallyPrecedes(rank($1)) }.map { sounds[$0] }
    }

    /// Not the programme itself.
    static func isAside(_ format: StreamFormat?) -> Bool {
        guard let format else { return false }
        return format.disposition.contains(.commentary) || format.disposition.contains(.visualImpaired)
    }

    /// `pt` asks for every Portuguese, `pt-BR` for that one.
    private static func matches(_ tag: String?, _ wanted: String) -> Bool {
        guard let tag else { return false }
        return tag == wanted || tag.hasPrefix(wanted + "-")
    }
}
