import SluiceCore

/// The options of a title's URL: `key=value` pairs behind the `~`, separated by commas. Pure.
struct TitleOptions: Sendable, Hashable {
    private(set) var shape = Title.Shape.renditions
    /// What the client says that it plays; nil where it says nothing, which means `generic`.
    private(set) var capabilities: CapabilityOption?
    /// As given, by key. Defaults that were given stay: a client that asks for `caps=generic` wants no other.
    private var values: [String: String] = [:]

    private static let keys = ["caps", "shape"]

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
        default: throw Self.unknown("\(key)=\(value)")
        }
    }

    /// The same options for clients of a profile.
    func with(_ profile: ClientProfile) -> TitleOptions {
        var options = self
        options.capabilities = CapabilityOption(profile)
        options.values["caps"] = profile.rawValue
        return options
    }

    private static func unknown(_ pair: String) -> NodeFailure {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        let key = parts.first ?? ""
        let near =
            keys.contains(key)
            ? Suggestion.nearest(to: parts.count > 1 ? parts[1] : "", among: Title.Shape.allCases.map(\.rawValue))
            : Suggestion.nearest(to: key, among: keys)
        let hint = near.map { "did you mean '\($0)'? " } ?? ""
        return NodeFailure(
            .invalidOption,
            "option '\(pair.prefix(80))' is not known; \(hint)expected shape=renditions or shape=muxed, or caps= with a "
                + "profile or a list of codecs")
    }
}
