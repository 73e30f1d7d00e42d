import SluiceBitstream
import Testing

@Suite struct WebVTTTests {
    private func cues(_ text: String) -> [TextCue] { WebVTT.cues(Array(text.utf8)) }

    @Test func filesAreRead() throws {
        let found = cues(
            "WEBVTT - title\nX-TIMESTAMP-MAP=LOCAL:00:00:01.000,MPEGTS:270000\n\nNOTE no cue\n\nSTYLE\n::cue{}\n\nid 1\n"
                + "00:01.000 --> 00:02.000 align:start line:10%\n<v Bob>Hi</v> &lt;you&gt; <00:01.500>&amp; me\n\n"
                + "100:00:00.000 --> 100:00:01.000\nlate\n")
        #expect(found.count == 2)
        let first = try #require(found.first)
        #expect(first.text.plain == "Hi <you> & me")
        #expect(first.start == 3_000)
        #expect(first.settings?.text == " line:10% align:start")
        #expect(found.last?.start == 360_002_000)
    }

    @Test func othersAreNot() {
        #expect(cues("WEBVTTX\n\n00:01.000 --> 00:02.000\na\n").isEmpty)
        #expect(cues("00:01.000 --> 00:02.000\na\n").isEmpty)
    }

    /// Alignment and point that settings stand for.
    @Test func settingsArePlaces() throws {
        let table: [(String, Int, Double?, Double?)] = [
            ("align:start", 1, nil, nil), ("align:middle", 2, nil, nil), ("align:right", 3, nil, nil),
            ("line:10%", 8, 0.5, 0.1), ("line:90%", 2, 0.5, 0.9), ("line:10%,start", 8, 0.5, 0.1),
            ("line:0", 8, nil, nil), ("line:-1", 2, nil, nil), ("align:start line:0", 7, nil, nil),
            ("position:20%  line:90%\talign:start", 1, 0.2, 0.9),
        ]
        for (text, alignment, x, y) in table {
            let cue = WebVTT.cue(Array("a".utf8), settings: Array(text.utf8), start: 0, end: 1)
            let placement = try #require(cue?.placement, "\(text)")
            #expect(placement.alignment == alignment, "\(text)")
            #expect(placement.anchor?.x == x, "\(text)")
            #expect(placement.anchor?.y == y, "\(text)")
        }
        for text in ["vertical:rl", "size:50%", "nonsense", "line:x%", "region:a"] {
            let cue = WebVTT.cue(Array("a".utf8), settings: Array(text.utf8), start: 0, end: 1)
            #expect(cue?.placement == nil, "\(text)")
        }
    }
}

@Suite struct WebVTTWriterTests {
    private func written(_ cues: [TextCue], _ style: WebVTTWriter.Style = .full) -> String {
        WebVTTWriter(style: style).text(cues)
    }

    @Test func anEmptySegmentHasItsBlankLine() {
        #expect(written([]) == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n")
    }

    @Test func textsAreEscaped() throws {
        let cue = try #require(SubRip.cue(Array("AT&T a < b --> c\n\n\n- second".utf8), start: 1_000, end: 2_000))
        let text = written([cue])
        #expect(text.hasSuffix("00:00:01.000 --> 00:00:02.000\nAT&amp;T a &lt; b --&gt; c\n- second\n\n"))
    }

    @Test func stylesAndPlacesAreKeptOrNot() throws {
        let source = "{\\an9}<i>a</i> <font color=\"yellow\">b</font> <font color=\"#123456\">c</font>"
        let cue = try #require(SubRip.cue(Array(source.utf8), start: 0, end: 500))
        let full = written([cue])
        #expect(full.contains("STYLE\n::cue(.c123456) { color: #123456 }\n\n"))
        #expect(full.contains("00:00:00.000 --> 00:00:00.500 line:0 align:end\n"))
        #expect(full.contains("<i>a</i> <c.yellow>b</c> <c.c123456>c</c>\n"))
        let plain = written([cue], .plain)
        #expect(plain.hasSuffix("00:00:00.000 --> 00:00:00.500\na b c\n\n"))
        #expect(!plain.contains("STYLE"))
    }

    @Test func equalCuesStandOnceInTheOrderOfTheirStarts() {
        func cue(_ start: Int64, _ text: String) -> TextCue { TextCue(start: start, end: 9_000, text: CueText(text)) }
        let text = written([cue(2_000, "b"), cue(1_000, "a"), cue(2_000, "b"), cue(2_000, "c")])
        #expect(text.split(separator: "\n").filter { $0.count == 1 } == ["a", "b", "c"])
    }

    @Test func timesRunBeyondADay() {
        #expect(WebVTTWriter.time(35_999_999) == "09:59:59.999")
        #expect(WebVTTWriter.time(360_000_000) == "100:00:00.000")
        #expect(WebVTTWriter.time(-5) == "00:00:00.000")
    }

    @Test func cuesOverABoundaryStandInBoth() {
        let cues = [
            TextCue(start: 9_900, end: 10_100, text: CueText("over")),
            TextCue(start: 12_000, end: nil, text: CueText("open")),
            TextCue(start: 15_000, end: 16_000, text: CueText("next")),
        ]
        #expect(TextTimeline.cues(cues, in: 0..<10_000).map(\.text.plain) == ["over"])
        let second = TextTimeline.cues(cues, in: 10_000..<15_000)
        #expect(second.map(\.text.plain) == ["over", "open"])
        #expect(second.map(\.end) == [10_100, 15_000])
        #expect(TextTimeline.cues(cues, in: 10_100..<12_000).isEmpty)
    }
}
