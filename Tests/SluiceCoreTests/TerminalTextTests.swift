import SluiceCore
import Testing

@Suite struct TerminalTextTests {
    @Test func whatSteersATerminalIsShownAndNotObeyed() {
        #expect(TerminalText.line("Übung ✓ 🎬 عربي") == "Übung ✓ 🎬 عربي")
        #expect(TerminalText.line("a\u{1b}[2J\u{7f}\u{85}b") == "a\\u{1b}[2J\\u{7f}\\u{85}b")
        #expect(TerminalText.line("x\r\n\ty\u{0}") == "x\\r\\n\\ty\\u{0}")
        #expect(TerminalText.block("x\n\ty\r") == "x\n\ty\\r")
        // Overrides and isolates of the writing direction, line and paragraph separators.
        for value in [0x202A, 0x202E, 0x2066, 0x2069, 0x200F, 0x2028, 0x2029] as [UInt32] {
            let text = Unicode.Scalar(value).map { String(Character($0)) } ?? ""
            #expect(TerminalText.line("a\(text)b") == "a\\u{\(String(value, radix: 16))}b")
        }
    }

    @Test func unitsTellTooLargeFromMalformed() {
        guard case .tooLarge = Units.readByteSize("99999999999999999999GiB"),
            case .tooLarge = Units.readDuration("1000000h"),
            case .malformed = Units.readByteSize("9e9GiB"), case .malformed = Units.readDuration("4 s"),
            case .value(1_048_576) = Units.readByteSize("1MiB")
        else {
            Issue.record("another reading")
            return
        }
    }
}
