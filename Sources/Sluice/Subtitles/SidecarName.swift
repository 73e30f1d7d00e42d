import SluiceCore
import SluiceNodes

/// What the name of a subtitle file says: `film.en.forced.srt` beside `film.mkv`. Pure.
struct SidecarName: Sendable, Hashable {
    var codec: CodecName
    var language: String?
    var title: String?
    var disposition: Disposition = []

    private static let codecs: [String: CodecName] = ["srt": "subrip", "ass": "ass", "ssa": "ssa", "vtt": "webvtt"]
    private static let flags: [String: Disposition] = [
        "forced": .forced, "foreign": .forced, "default": .isDefault, "sdh": .hearingImpaired, "cc": .hearingImpaired,
        "hi": .hearingImpaired, "commentary": .commentary,
    ]

    /// - Parameters:
    ///   - name: of the file, without its folder.
    ///   - film: name of the film, without its folder.
    /// - Returns: nil for a file that is no text or belongs to another film.
    init?(_ name: String, beside film: String) {
        let stem = film.lastIndex(of: ".").map { film[..<$0] } ?? film[...]
        guard !stem.isEmpty, name.count > stem.count, name.hasPrefix(stem),
            let dot = name.lastIndex(of: "."), let codec = Self.codecs[name[name.index(after: dot)...].lowercased()]
        else { return nil }
        self.codec = codec
        let rest = name[name.index(name.startIndex, offsetBy: stem.count)...]
        guard rest.first == "." else { return nil }
        let end = rest.lastIndex(of: ".") ?? rest.startIndex
        var words: [String] = []
        for part in rest[..<end].split(separator: ".").map(String.init) {
            // Two letters that are a language as well: Hindi stands alone, "hi" beside a language is a flag.
            let isLanguage = language == nil && LanguageTag.tag(part) != nil && Self.isKnown(part)
            if isLanguage, Self.flags[part.lowercased()] == nil || part.lowercased() == "hi" {
                language = part.lowercased()
            } else if let flag = Self.flags[part.lowercased()] {
                disposition.insert(flag)
            } else {
                words.append(part)
            }
        }
        title = words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Whether a word is a code of ISO 639 that has two letters or three, with or without a region.
    private static func isKnown(_ word: String) -> Bool {
        let code = word.lowercased().prefix { $0 != "-" && $0 != "_" }
        return LanguageTable.short[String(code)] != nil || LanguageTable.short.values.contains(String(code))
    }
}

extension SubtitleTrack {
    /// Of what lies beside the source, without its folder.
    var fileName: String? {
        guard case .file(let sidecar) = origin else { return nil }
        return sidecar.path.split(separator: "/").last.map(String.init)
    }
}
