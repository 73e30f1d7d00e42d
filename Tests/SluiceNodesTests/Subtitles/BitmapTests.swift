import SluiceAV
import SluiceCore
import Testing

@testable import SluiceNodes

@Suite struct BitmapTimelineTests {
    private func display(_ start: Int64, _ count: Int = 1, lasts: Int64? = nil) -> BitmapDisplay {
        let object = BitmapObject(
            x: 10, y: 20, width: 2, height: 1, pixels: [UInt8](repeating: 9, count: 8), isForced: false)
        return BitmapDisplay(
            start: start, duration: lasts, objects: Array(repeating: object, count: count), width: 100, height: 50)
    }

    @Test func endsComeFromWhatFollows() {
        let displays = [
            display(2_000), display(4_000, 0), display(5_000, 2), display(5_900), display(20_000, lasts: 1_000),
        ]
        let found = BitmapTimeline.cues(displays, in: 0..<60_000, plane: (1, 1))
        #expect(found.map(\.start) == [2_000, 5_000, 5_000, 5_900, 20_000])
        #expect(found.map(\.end) == [4_000, 5_900, 5_900, 20_000, 21_000])
        #expect(found.map(\.number) == [0, 0, 1, 0, 0])
        #expect(BitmapTimeline.cues(displays, in: 3_999..<4_000, plane: (1, 1)).count == 1)
        #expect(BitmapTimeline.cues(displays, in: 4_000..<5_000, plane: (1, 1)).isEmpty)
        let last = BitmapTimeline.cues([display(1_000)], in: 0..<5_000, plane: (1, 1))
        #expect(last.first?.end == 1_000 + BitmapTimeline.cap)
    }

    @Test func planesLieOnThePicture() {
        let object = BitmapObject(x: 960, y: 900, width: 192, height: 108, pixels: [], isForced: false)
        let cue = BitmapCue(start: 0, end: 1, object: object, number: 0, width: 1_920, height: 1_080)
        let whole = BitmapPlacement.place(cue, isDisc: true, picture: (1_920, 1_080))
        #expect(abs(whole.y - 900.0 / 1_080) < 1e-9)
        // Bars of 140 lines were cut off.
        let cut = BitmapPlacement.place(cue, isDisc: true, picture: (1_920, 800))
        #expect(abs(cut.y - 760.0 / 800) < 1e-9)
        #expect(abs(cut.height - 108.0 / 800) < 1e-9)
        #expect(abs(cut.x - 0.5) < 1e-9)
        let stretched = BitmapPlacement.place(cue, isDisc: false, picture: (1_920, 800))
        #expect(abs(stretched.y - 900.0 / 1_080) < 1e-9)
    }

    @Test func shelvesForgetWhatIsFar() {
        var shelf = PacketShelf()
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        for number in 0..<48 as Range<Int64> {
            shelf.insert(StoredPacket(time: number * 1_000, position: number, bytes: bytes))
            shelf.insert(StoredPacket(time: number * 1_000, position: number, bytes: bytes))
        }
        #expect(shelf.packets.count == 48)
        let forgotten = shelf.trim(around: 40_000..<44_000)
        #expect(shelf.bytes <= PacketShelf.limit)
        #expect(shelf.packets(in: 40_000..<44_000).count == 4)
        #expect(!forgotten.isEmpty)
        #expect(forgotten.allSatisfy { !$0.overlaps(40_000..<44_000) })
    }

    @Test func ledgersForget() {
        var ledger = CoverageLedger()
        ledger.add(0..<100)
        ledger.remove(40..<60)
        #expect(ledger.ranges == [0..<40, 60..<100])
        ledger.remove(Int64.min..<10)
        #expect(ledger.ranges == [10..<40, 60..<100])
        ledger.remove(0..<1_000)
        #expect(ledger.ranges.isEmpty)
    }

    /// White of 294 nits is white; black stays black; alpha stays.
    @Test func perceptualColoursBecomeStandard() {
        // PQ of 294 nits is about 0.62 of the scale.
        let white = PerceptualPalette.standard(0xFF9E_9E9E)
        #expect(white == 0xFFFF_FFFF)
        #expect(PerceptualPalette.standard(0x8000_0000) == 0x8000_0000)
        let gray = PerceptualPalette.standard(0xFF50_5050)
        #expect(gray & 0xFF == gray >> 8 & 0xFF && gray & 0xFF < 0x90)
    }
}
