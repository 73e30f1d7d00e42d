/// Languages as `mdhd` packs them.
///
/// - Note: ISO/IEC 14496-12 §8.4.2.3: three letters of ISO 639-2/T, five bits each.
enum LanguageCode {
    /// `und` for anything but three lower-case letters.
    static func packed(_ language: String?) -> UInt16 {
        let letters = Array((language ?? "und").utf8)
        guard letters.count == 3, letters.allSatisfy({ (0x61...0x7A).contains($0) }) else { return packed("und") }
        return letters.reduce(UInt16(0)) { $0 << 5 | UInt16($1 - 0x60) }
    }

    /// The three letters; nil for values outside the alphabet (QuickTime's old numbers).
    static func unpacked(_ value: UInt16) -> String? {
        var text = ""
        for shift in [10, 5, 0] as [UInt16] {
            let letter = UInt8(truncatingIfNeeded: (value >> shift) & 0x1F)
            guard (1...26).contains(letter) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(letter + 0x60))
        }
        return text
    }

    static func needsExtendedTag(_ language: String) -> Bool {
        packed(language) == packed(nil) && language != "und" && !language.isEmpty
    }
}
