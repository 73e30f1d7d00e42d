import SluiceCore
import SluiceNodes

/// The value of `caps`: a profile, codecs, brightness ranges and traits of pictures joined by `+`. Pure.
///
/// What is named adds up: `hevc+ac3` is a client that plays both, `chromium+hevc` is Chromium on a machine that decodes
/// HEVC. H.264 and AAC need no mention: there is no HLS player without them.
struct CapabilityOption: Sendable, Hashable {
    /// Every name once, in sorted order: one value has one spelling.
    let text: String
    let capabilities: ClientCapabilities

    /// Ranges beyond SDR that the client shows; nil where it names none, which says nothing about them.
    let shown: Set<String>?

    static let ranges = ["dv", "hdr10", "hlg"]
    static let codecs = ClientCapabilities.everything.codecs.map(\.rawValue).sorted()
    /// Longest value that is looked at, in bytes; all names together are shorter.
    static let limit = 256

    private static let always: [CodecName] = ["h264", "aac"]

    static let generic = CapabilityOption(.generic)

    init(_ profile: ClientProfile) {
        text = profile.rawValue
        capabilities = profile.capabilities
        shown = nil
    }

    /// - Throws: `.invalidOption` for a name that is neither profile, codec nor range.
    init(_ value: String) throws(NodeFailure) {
        guard value.utf8.count <= Self.limit else {
            throw NodeFailure(.invalidOption, "caps is longer than \(Self.limit) bytes")
        }
        var names: Set<String> = []
        var codecs = Set(Self.always)
        var traits = PictureTrait.harmless
        for part in value.split(separator: "+", omittingEmptySubsequences: false) {
            let name = String(part)
            if let profile = ClientProfile(rawValue: name) {
                codecs.formUnion(profile.capabilities.codecs)
                traits.formUnion(profile.capabilities.traits)
            } else if let trait = PictureTrait(rawValue: name) {
                traits.insert(trait)
            } else if Self.codecs.contains(name) {
                codecs.insert(CodecName(rawValue: name))
            } else if !Self.ranges.contains(name) {
                throw Self.unknown(name)
            }
            names.insert(name)
        }
        text = names.sorted().joined(separator: "+")
        capabilities = ClientCapabilities(codecs: codecs, traits: traits)
        let shown = names.intersection(Self.ranges)
        self.shown = shown.isEmpty ? nil : shown
    }

    /// Whether the client shows a range of ``ranges``.
    func shows(_ range: String) -> Bool { shown?.contains(range) ?? true }

    func takes(_ codec: CodecName) -> Bool { capabilities.codecs.contains(codec) }

    private static func unknown(_ name: String) -> NodeFailure {
        let profiles = ClientProfile.allCases.map(\.rawValue)
        let traits = PictureTrait.allCases.map(\.rawValue)
        let near = Suggestion.nearest(to: name, among: profiles + codecs + ranges + traits)
        let hint = near.map { "did you mean '\($0)'? " } ?? ""
        return NodeFailure(
            .invalidOption,
            "caps: '\(name.prefix(40))' is not known; \(hint)expected a profile (\(profiles.joined(separator: ", "))), or "
                + "codecs (\(codecs.joined(separator: ", "))), ranges (\(ranges.joined(separator: ", "))) and pictures "
                + "(\(traits.joined(separator: ", "))) joined by '+'"
        )
    }
}
