/// Makes text from files, networks and file names harmless for a terminal.
public enum TerminalText {
    /// One line: whatever could steer a terminal or reorder what is read becomes `\\n`, `\\t` or `\\u{1b}`.
    ///
    /// That is C0, DEL, C1, line and paragraph separators, and the marks that override or isolate writing direction.
    public static func line(_ text: some StringProtocol) -> String { escaped(text, keeping: []) }

    /// The same with line feeds and tabs left as they are, for text that was laid out on purpose.
    public static func block(_ text: some StringProtocol) -> String { escaped(text, keeping: ["\n", "\t"]) }

    /// Whether `scalar` must not reach a terminal as it is.
    public static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private static func escaped(_ text: some StringProtocol, keeping kept: Set<Unicode.Scalar>) -> String {
        guard text.unicodeScalars.contains(where: { isHarmful($0) && !kept.contains($0) }) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case let scalar where !isHarmful(scalar) || kept.contains(scalar): result.unicodeScalars.append(scalar)
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result
    }
}
