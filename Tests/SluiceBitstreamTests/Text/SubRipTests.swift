import SluiceBitstream
import Testing

@Suite struct SubRipTests {
    private func cues(_ text: String) -> [TextCue] { SubRip.cues(Array(text.utf8)) }

    @Test func blocksBecomeCues() {
        let found = cues("1\n00:00:01,000 --> 00:00:02,500\nHello\n- second\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n")
        #expect(found.count == 2)
        #expect(found.first?.start == 1_000)
        #expect(found.first?.end == 2_500)
        #expect(found.first?.text.plain == "Hello\n- second")
        #expect(found.last?.text.plain == "Bye")
    }

    /// Carriage returns, missing numbers and blank lines, points for commas, short fractions.
    @Test(arguments: [
        "00:00:01,000 --> 00:00:02,000\r\na\r\n\r\n00:00:03,000 --> 00:00:04,000\r\nb\r\n",
        "1\n00:00:01.0 --> 00:00:02.0\na\n2\n00:00:03.0 --> 00:00:04.0\nb",
        "\n\n1\r00:00:01,000-->00:00:02,000\ra\r2\r0:0:3,0 --> 0:0:4,0 X1:10 X2:20\rb\r",
    ])
    func sloppyBlocksAreRead(text: String) {
        let found = cues(text)
        #expect(found.map(\.text.plain) == ["a", "b"])
        #expect(found.map(\.start) == [1_000, 3_000])
    }

    @Test func whatEndsBeforeItBeginsIsLeftOut() {
        #expect(cues("1\n00:00:30,000 --> 00:00:29,000\nbad\n\n2\n00:00:31,000 --> 00:00:32,000\ngood\n").count == 1)
    }

    @Test func tagsBecomeStyles() throws {
        let cue = try #require(
            cues(
                "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}a <b>b</b> <i>c <font color=\"#FF8000\">d</font></i> <3 <x>\n"
            )
            .first)
        #expect(cue.text.plain == "a b c d <3 <x>")
        #expect(cue.placement == CuePlacement(alignment: 8))
        #expect(cue.text.runs.contains { $0.text == "b" && $0.style.isBold })
        let last = try #require(cue.text.runs.first { $0.text == "d" })
        #expect(last.style.isItalic)
        #expect(last.style.color == TextColor(255, 128, 0))
    }

    @Test func hostileFilesStayBounded() {
        let line = "1\n00:00:01,000 --> 00:00:02,000\n" + String(repeating: "x", count: 1 << 22)
        let found = cues(line)
        #expect(found.count == 1)
        #expect((found.first?.text.plain.utf8.count ?? .max) <= TextLimits.cueBytes)
        let tags = "1\n00:00:01,000 --> 00:00:02,000\n" + String(repeating: "<b>x</b>", count: 20_000)
        #expect((cues(tags).first?.text.runs.count ?? .max) <= TextLimits.runs)
        #expect(cues(String(repeating: "00:00:01,000 --> ", count: 10_000)).isEmpty)
        #expect(cues("1\n99999999999999999999:00:00,000 --> 00:00:02,000\nx\n").isEmpty)
    }
}

@Suite struct TextDecodingTests {
    private let text = "1\n00:00:01,000 --> 00:00:02,000\nPříliš žluťoučký\n"

    @Test func unicodeIsRecognised() {
        let plain = Array(text.utf8)
        let units = Array(text.utf16)
        let little = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let inputs: [[UInt8]] = [
            plain, [0xEF, 0xBB, 0xBF] + plain, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big,
        ]
        for input in inputs { #expect(TextDecoding.utf8(input) == plain) }
    }

    @Test func legacyEncodingsAreTold() {
        // "Où êtes-vous, été" in Windows-1252, "Привет, как дела" in Windows-1251.
        let western: [UInt8] = [
            0x4F, 0xF9, 0x20, 0xEA, 0x74, 0x65, 0x73, 0x20, 0xE9, 0x74, 0xE9, 0x20, 0x93, 0x61, 0x94,
        ]
        #expect(TextDecoding.text(western) == "Où êtes été “a”")
        let cyrillic: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x2C, 0x20, 0xEA, 0xE0, 0xEA]
        #expect(TextDecoding.text(cyrillic) == "Привет, как")
    }
}
