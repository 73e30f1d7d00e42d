import SluiceBitstream
import SluiceCore
import Testing

@testable import SluiceNodes

@Suite struct CoverageLedgerTests {
    @Test func stretchesJoin() {
        var ledger = CoverageLedger()
        ledger.add(0..<10)
        ledger.add(20..<30)
        #expect(ledger.ranges == [0..<10, 20..<30])
        #expect(ledger.missing(in: 5..<25) == 10)
        #expect(ledger.missing(in: 12..<15) == 12)
        #expect(ledger.covers(21..<30))
        ledger.add(10..<20)
        #expect(ledger.ranges == [0..<30])
        #expect(ledger.missing(in: 0..<31) == 30)
        ledger.add(-5..<40)
        #expect(ledger.ranges == [-5..<40])
        ledger.add(50..<50)
        #expect(ledger.ranges.count == 1)
    }

    @Test func thereAreNotAnyNumberOfStretches() {
        var ledger = CoverageLedger()
        for number in 0..<5_000 as Range<Int64> { ledger.add((number * 10)..<(number * 10 + 5)) }
        #expect(ledger.ranges.count == CoverageLedger.limit)
    }
}

@Suite struct TextShelfTests {
    private func cue(_ start: Int64, _ text: String) -> TextCue {
        TextCue(start: start, end: start + 1_000, text: CueText(text))
    }

    /// The order of reading leaves no trace.
    @Test func orderIsThatOfTheFile() {
        let cues = [
            (cue(0, "a"), 10), (cue(500, "b"), 20), (cue(500, "c"), 30), (cue(500, "b"), 40), (cue(900, "d"), 50),
        ]
        var straight = TextShelf()
        for (cue, place) in cues { straight.insert(cue, position: Int64(place)) }
        var mixed = TextShelf()
        for number in [3, 1, 4, 0, 2, 1, 3] { mixed.insert(cues[number].0, position: Int64(cues[number].1)) }
        #expect(straight.count == 5)
        #expect(mixed.all == straight.all)
        #expect(mixed.bytes == straight.bytes)
    }

    @Test func whatDoesNotFitIsCounted() {
        var shelf = TextShelf()
        let text = String(repeating: "x", count: 1 << 20)
        for number in 0..<40 as Range<Int64> { shelf.insert(cue(number, text), position: number) }
        #expect(shelf.bytes <= TextShelf.limit)
        #expect(shelf.dropped > 0)
    }

    @Test func onlyWhatBeganLatelyIsShown() {
        var shelf = TextShelf()
        shelf.insert(TextCue(start: 1_000, end: 100_000, text: CueText("long")), position: 1)
        shelf.insert(TextCue(start: 89_000, end: 91_000, text: CueText("short")), position: 2)
        #expect(shelf.cues(in: 90_000..<94_000, from: .min).map(\.text.plain) == ["long", "short"])
        #expect(shelf.cues(in: 90_000..<94_000, from: 30_000).map(\.text.plain) == ["short"])
    }
}

@Suite struct SubtitleReachTests {
    private func facts(_ format: String) -> TitleFacts {
        TitleFacts(formatName: format, streams: [], origin: Timestamp(0, .milliseconds))
    }

    @Test func smallLocalFilesAndTablesAreReadWhole() {
        let matroska = facts("matroska,webm")
        #expect(SubtitleReach(matroska, size: 1 << 20).carry == nil)
        #expect(SubtitleReach(matroska, size: 8 << 30).carry == SubtitleReach.usualCarry)
        #expect(SubtitleReach(matroska, size: nil).carry == SubtitleReach.usualCarry)
        let movie = facts("mov,mp4,m4a,3gp,3g2,mj2")
        #expect(SubtitleReach(movie, size: 8 << 30).carry == nil)
        #expect(SubtitleReach(movie, size: nil).carry == SubtitleReach.usualCarry)
    }

    @Test func needsBeginBeforeTheSegment() {
        var reach = SubtitleReach(facts("matroska,webm"), size: nil)
        #expect(reach.need(100_000..<104_000) == 40_000..<109_000)
        #expect(reach.need(-50..<4_000) == -50..<9_000)
        reach.carry = nil
        #expect(reach.need(100_000..<104_000) == 0..<109_000)
    }
}
