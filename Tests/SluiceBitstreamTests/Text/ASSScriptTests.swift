import SluiceBitstream
import Testing

@Suite struct ASSScriptTests {
    private let header = """
        [Script Info]\r
        PlayResX: 718 \r
        PlayResY: 480\r
        [V4+ Styles]
        Format: Name, Fontname, PrimaryColour, Bold, Italic, Underline, Alignment
        Style: Default,Arial,&H00FFFFFF,0,0,0,2
        Style: Sign,Arial,&H0000FFFF,-1,0,0,8
        """

    private func cue(_ text: String, style: String = "Default", header: String = "") -> TextCue? {
        ASSScript(header: Array(header.utf8)).cue(
            event: Array("3,0,\(style),,0,0,0,,\(text)".utf8), start: 0, end: 1_000)
    }

    @Test func tagsBecomeStyles() throws {
        let found = try #require(cue("{\\b1\\i1}a{\\b0}b{\\r}c{\\c&H00FFFF&}d{\\c}e{\\1c&H0000FF&}f"))
        #expect(found.text.plain == "abcdef")
        let styles = found.text.runs.map { ($0.text, $0.style.isBold, $0.style.isItalic, $0.style.color) }
        #expect(styles.count == 6)
        #expect(styles[0].1 && styles[0].2)
        #expect(!styles[1].1 && styles[1].2)
        #expect(!styles[2].2)
        #expect(styles[3].3 == TextColor(255, 255, 0))
        #expect(styles[4].3 == nil)
        #expect(styles[5].3 == TextColor(255, 0, 0))
    }

    /// Looking for an end behind each of them would take a day.
    @Test func aMillionBracesThatNobodyClosesAreText() throws {
        let text = String(repeating: "{", count: 1_000_000)
        let found = try #require(cue("{\\i1}a{\\i0}" + text))
        #expect(found.text.plain.hasPrefix("a{{{"))
    }

    /// Tags that only begin like others.
    @Test(arguments: [
        "\\be1", "\\bord3", "\\iclip(1,2,3,4)", "\\shad2", "\\fscx120", "\\fsp2", "\\clip(m 0 0 l 1 1)", "\\blur4",
        "\\pbo3", "\\k40", "\\fad(1,2)",
    ])
    func lookAlikesChangeNothing(tag: String) throws {
        let found = try #require(cue("{\(tag)}plain"))
        #expect(found.text == CueText("plain"))
        #expect(found.placement == nil)
    }

    @Test func weightsAreBold() throws {
        #expect(try #require(cue("{\\b700}a")).text.runs[0].style.isBold)
        #expect(try !#require(cue("{\\b400}a")).text.runs[0].style.isBold)
    }

    @Test func placesAreNormalised() throws {
        let plain = try #require(cue("{\\pos(192,144)}a"))
        #expect(plain.placement == CuePlacement(alignment: 2, anchor: CueAnchor(x: 0.5, y: 0.5)))
        let declared = try #require(cue("{\\an5\\pos(298,432)}a", header: header))
        #expect(declared.placement?.alignment == 5)
        #expect(declared.placement?.anchor == CueAnchor(x: 298.0 / 718, y: 0.9))
        #expect(try #require(cue("{\\a6}a")).placement?.alignment == 8)
    }

    @Test func stylesOfTheScriptCount() throws {
        let found = try #require(cue("a", style: "Sign", header: header))
        #expect(found.placement == CuePlacement(alignment: 8))
        #expect(found.text.runs[0].style.isBold)
        #expect(found.text.runs[0].style.color == TextColor(255, 255, 0))
    }

    @Test func linesBlanksDrawingsAndComments() throws {
        #expect(try #require(cue("a\\Nb\\hc{note}d")).text.plain == "a\nb\u{A0}cd")
        #expect(cue("{\\p1}m 0 0 l 100 0 100 100{\\p0}") == nil)
        #expect(try #require(cue("{\\p1}m 0 0{\\p0}text, with commas")).text.plain == "text, with commas")
        let bomb = "{\\p1}" + String(repeating: "m 0 0 l 1 1 ", count: 200_000)
        #expect(cue(bomb) == nil)
        let tags = String(repeating: "{\\i1}x{\\i0}y", count: 5_000)
        #expect(try #require(cue(tags)).text.runs.count <= TextLimits.runs)
    }

    @Test func fieldsAreCounted() {
        let script = ASSScript(header: [])
        #expect(script.cue(event: Array("x,0,Default,,0,0,0,,a".utf8), start: 0, end: 1) == nil)
        #expect(script.cue(event: Array("1,0,Default,a".utf8), start: 0, end: 1) == nil)
        #expect(script.cue(event: [], start: 0, end: 1) == nil)
    }

    @Test func filesAreSorted() {
        let text =
            header + "\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
            + "Dialogue: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,second, really\n"
            + "Comment: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,hidden\n"
            + "Dialogue: 0,0:00:01.25,10:00:00.00,Default,,0,0,0,,first\n"
        let cues = ASSScript.cues(Array(text.utf8))
        #expect(cues.map(\.text.plain) == ["first", "second, really"])
        #expect(cues.map(\.start) == [1_250, 5_000])
        #expect(cues.first?.end == 36_000_000)
    }
}

@Suite struct MovTextTests {
    @Test func lengthTextAndStyles() throws {
        var bytes: [UInt8] = [0, 5] + Array("Hello".utf8)
        #expect(MovText.cue(bytes, start: 0, end: 1)?.text == CueText("Hello"))
        bytes += [0, 0, 0, 22] + Array("styl".utf8) + [0, 1, 0, 1, 0, 3, 0, 1, 2, 18, 255, 0, 0, 255]
        let cue = try #require(MovText.cue(bytes, start: 0, end: 1))
        #expect(cue.text.plain == "Hello")
        let run = try #require(cue.text.runs.first { $0.text == "el" })
        #expect(run.style.isItalic)
        #expect(run.style.color == TextColor(255, 0, 0))
    }

    @Test func whatIsNoTextIsNoCue() {
        let inputs: [[UInt8]] = [[], [0], [0, 0], [0, 9, 65], [255, 255, 65]]
        for input in inputs { #expect(MovText.cue(input, start: 0, end: 1) == nil) }
    }
}
