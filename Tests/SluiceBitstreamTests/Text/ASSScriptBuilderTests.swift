import SluiceBitstream
import Testing

@Suite struct ASSScriptBuilderTests {
    @Test func timesRollOverAndAreRounded() {
        #expect(ASSScriptBuilder.time(35_999_999) == "10:00:00.00")
        #expect(ASSScriptBuilder.time(1_234) == "0:00:01.23")
        #expect(ASSScriptBuilder.time(1_235) == "0:00:01.24")
        #expect(ASSScriptBuilder.time(-5) == "0:00:00.00")
    }

    @Test func eventsAreSortedAndStandOnce() {
        var builder = ASSScriptBuilder(header: Array("[Script Info]\nTitle: x\0".utf8))
        builder.add(Array("2,1,Sign,,0,0,0,,{\\i1}b, with, commas".utf8), start: 2_000, end: 3_000)
        builder.add(Array("1,0,Default,,0,0,0,,a\nDialogue: no".utf8), start: 2_000, end: 2_500)
        builder.add(Array("2,1,Sign,,0,0,0,,{\\i1}b, with, commas".utf8), start: 2_000, end: 3_000)
        builder.add(Array("2,1,Sign,,0,0,0,,same order".utf8), start: 2_000, end: 3_000)
        builder.add(Array("x,0,Default,,0,0,0,,no".utf8), start: 0, end: 1)
        builder.add(Array("3,0,Default".utf8), start: 0, end: 1)
        let lines = String(decoding: builder.script, as: UTF8.self).split(separator: "\n").map(String.init)
        let wanted = [
            "[Script Info]", "Title: x", "[Events]",
            "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text",
            "Dialogue: 0,0:00:02.00,0:00:02.50,Default,,0,0,0,,a Dialogue: no",
            "Dialogue: 1,0:00:02.00,0:00:03.00,Sign,,0,0,0,,same order",
            "Dialogue: 1,0:00:02.00,0:00:03.00,Sign,,0,0,0,,{\\i1}b, with, commas",
        ]
        #expect(lines == wanted)
    }
}
