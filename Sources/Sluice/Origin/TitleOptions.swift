import SluiceCore
import SluiceNodes

/// The options of a title's URL: `key=value` pairs behind the `~`, separated by commas. Pure.
struct TitleOptions: Sendable, Hashable {
    private(set) var shape = Title.Shape.renditions
    /// What the client says that it plays; nil where it says nothing, which means `generic`.
    private(set) var capabilities: CapabilityOption?
    private var vision = DolbyVisionHandling.auto
    /// The multivariant playlist names the base layer alone; segments are the same.
    private(set) var isPlain = false
    /// As given, by key. Defaults that were given stay: a client that asks for `caps=generic` wants no other.
    private var values: [String: String] = [:]

    /// What is asked of the sounds.
    private(set) var sounds = SoundWish.plain

    private static let keys = ["audio", "caps", "claim", "delay", "dv", "lang", "shape"]

    /// - Throws: `.invalidOption` for keys and values that are not known.
    init(_ text: String) throws(NodeFailure) {
        for pair in text.split(separator: ",") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Self.unknown(String(pair)) }
            try set(String(parts[0]), String(parts[1]))
        }
    }

    /// The pairs in sorted order; empty for the defaults.
    var text: String { values.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",") }

    /// - Throws: `.invalidOption` as when parsing.
    mutating func set(_ key: String, _ value: String) throws(NodeFailure) {
        switch key {
        case "shape":
            guard let wanted = Title.Shape(rawValue: value) else { throw Self.unknown("\(key)=\(value)") }
            shape = wanted
            values[key] = value
        case "caps":
            let wanted = try CapabilityOption(value)
            capabilities = wanted
            values[key] = wanted.text
        case "claim":
            guard value == "base" || value == "all" else { throw Self.unknown("\(key)=\(value)") }
            isPlain = value == "base"
            values[key] = value
        case "dv":
            guard let wanted = DolbyVisionHandling(rawValue: value) else { throw Self.unknown("\(key)=\(value)") }
            vision = wanted
            values[key] = value
        case "audio":
            guard let wanted = BridgeMode(rawValue: value) else { throw Self.unknown("\(key)=\(value)") }
            sounds.mode = wanted
            values[key] = value
        case "delay":
            guard let wanted = Int(value), wanted.magnitude <= SoundWish.longestDelay, "\(wanted)" == value else {
                throw NodeFailure(
                    .invalidOption,
                    "delay: '\(value.prefix(40))'; expected whole milliseconds from -\(SoundWish.longestDelay) to "
                        + "\(SoundWish.longestDelay)")
            }
            sounds.delay = .milliseconds(wanted)
            values[key] = value
        case "lang":
            sounds.languages = try Self.languages(value)
            values[key] = sounds.languages.joined(separator: "+")
        default: throw Self.unknown("\(key)=\(value)")
        }
    }

    private static func languages(_ value: String) throws(NodeFailure) -> [String] {
        var tags: [String] = []
        for part in value.split(separator: "+", omittingEmptySubsequences: false) {
            guard part.utf8.count <= 35, let tag = LanguageTag.tag(String(part)), tags.count < SoundWish.languageLimit
            else {
                throw NodeFailure(
                    .invalidOption,
                    "lang: '\(part.prefix(40))'; expected at most \(SoundWish.languageLimit) languages joined by '+', as in "
                        + "lang=cs+en")
            }
            if !tags.contains(tag) { tags.append(tag) }
        }
        return tags
    }

    /// What is asked of Dolby Vision, where the title has any.
    func vision(for facts: TitleFacts) -> DolbyVisionHandling {
        guard vision != .auto, let video = facts.video, TrackFactory.dolbyVision(facts, video) != nil else {
            return .auto
        }
        return vision
    }

    /// The same options for clients of a profile.
    func with(_ profile: ClientProfile) -> TitleOptions {
        var options = self
        options.capabilities = CapabilityOption(profile)
        options.values["caps"] = profile.rawValue
        return options
    }

    /// The same options with the base layer alone in the multivariant playlist.
    var plain: TitleOptions {
        var options = self
        options.isPlain = true
        options.values["claim"] = "base"
        return options
    }

    /// The same options with picture and sound in one playlist.
    var muxed: TitleOptions {
        var options = self
        options.shape = .muxed
        options.values["shape"] = Title.Shape.muxed.rawValue
        return options
    }

    private static func unknown(_ pair: String) -> NodeFailure {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        let key = parts.first ?? ""
        let names =
            switch key {
            case "shape": Title.Shape.allCases.map(\.rawValue)
            case "audio": BridgeMode.allCases.map(\.rawValue)
            case "claim": ["all", "base"]
            case "dv": DolbyVisionHandling.allCases.map(\.rawValue)
            default: keys
            }
        let near = Suggestion.nearest(to: keys.contains(key) && parts.count > 1 ? parts[1] : key, among: names)
        let hint = near.map { "did you mean '\($0)'? " } ?? ""
        return NodeFailure(
            .invalidOption,
            "option '\(pair.prefix(80))' is not known; \(hint)expected shape=renditions, shape=muxed or shape=audio, dv=auto, "
                + "dv=base or dv=force, claim=base, audio=surround, audio=lossless or audio=aac, lang=, delay=, or caps= "
                + "with a profile or a list of codecs")
    }
}
