/// Language tags as playlists carry them. Pure.
///
/// - Note: RFC 5646 §2.2.1: where a language has a two-letter code, that one is used.
enum LanguageTag {
    /// - Parameter code: as containers write it: two or three letters, perhaps with a region behind a hyphen.
    /// - Returns: nil for what is no language.
    static func tag(_ code: String) -> String? {
        let parts = code.lowercased().replacing("_", with: "-").split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count),
            parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(Self.isAlphanumeric) }),
            first.utf8.allSatisfy({ (0x61...0x7A).contains($0) }), first != "und", first != "mis", first != "zxx"
        else { return nil }
        let language = LanguageTable.short[String(first)] ?? String(first)
        guard parts.count > 1 else { return language }
        return ([language] + parts.dropFirst().map { $0.utf8.count == 2 ? $0.uppercased() : String($0) })
            .joined(separator: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }
}
