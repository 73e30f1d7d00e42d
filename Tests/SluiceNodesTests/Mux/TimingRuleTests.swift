import SluiceCore
import Testing

@testable import SluiceNodes

/// Where the sounds of a segment go whose stamps are rounded, shared, wrong or from joined recordings.
struct TimingRuleTests {
    private static let rule = TimingRule(nominal: 1_024, soundTolerance: 1_024)

    private func sounds(_ stamps: [Int64]) -> [TimedSample] {
        stamps.map {
            TimedSample(presentation: $0, duration: 1_024, isSync: true, isDisposable: false, chunks: [ByteChunk([0])])
        }
    }

    private func times(_ stamps: [Int64], next: Int64?, isLast: Bool = false, tail: Int64? = nil) -> SampleTimes {
        Self.rule.sounds(sounds(stamps), from: 0, next: next, isLast: isLast, tail: tail).times
    }

    /// Stamps that wander about where the frames are lose none of them.
    @Test(arguments: Wandering.allCases) func wanderingStampsLoseNothing(_ wandering: Wandering) {
        let stamps = (0..<100).map { Int64($0) * 1_024 + wandering.offset($0) }

        let times = times(stamps, next: 102_400)

        #expect(times.decodes == (0..<100).map { Int64($0) * 1_024 })
        #expect(times.lengths == [Int64](repeating: 1_024, count: 100))
    }

    @Test func aHoleKeepsItsLength() {
        let stamps = (0..<100).map { Int64($0) * 1_024 + ($0 >= 40 ? 10_240 : 0) }

        let times = times(stamps, next: 112_640)

        #expect(times.decodes == stamps)
        #expect(times.lengths[39] == 11_264)
    }

    @Test func soundThatIsRepeatedIsLeftOut() {
        // Three frames and a bit are said again.
        let stamps = (0..<100).map { Int64($0) * 1_024 - ($0 >= 40 ? 3_200 : 0) }

        let times = times(stamps, next: 99_200)

        #expect(times.decodes == (0..<97).map { Int64($0) * 1_024 })
        #expect(times.lengths == [Int64](repeating: 1_024, count: 96) + [896])
    }

    @Test func theLastSampleOfATitleMayBeShort() {
        let times = times((0..<10).map { Int64($0) * 1_024 }, next: 9_416, isLast: true, tail: 200)

        #expect(times.decodes.count == 10)
        #expect(times.lengths == [Int64](repeating: 1_024, count: 9) + [200])
    }

    /// Within the title, what does not have half a frame before the next segment begins is left out.
    @Test func aSampleThatHasNoRoomIsLeftOut() {
        let times = times((0..<10).map { Int64($0) * 1_024 }, next: 9_416)

        #expect(times.decodes.count == 9)
        #expect(times.lengths == [Int64](repeating: 1_024, count: 8) + [1_224])
    }

    /// Pictures last until the next one is shown, and decode times are the sums of that.
    @Test func picturesLastUntilTheNext() {
        let shown: [Int64] = [0, 700, 100, 250, 1_000, 800]

        let times = Self.rule.pictures(sounds(shown), next: 1_300)

        #expect(times.shown == shown)
        #expect(times.lengths == [100, 100, 150, 450, 300, 200])
        #expect(times.decodes == [0, 100, 200, 350, 800, 1_100])
    }
}

/// How stamps lie beside their frames.
enum Wandering: CaseIterable {
    case pairs, bursts, swapped, around, late, oneFarAhead, oneFarBehind, lastAhead, lastBehind, someAhead

    func offset(_ number: Int) -> Int64 {
        switch self {
        case .pairs: Int64(number % 2 * -1_024)
        case .bursts: Int64(number % 4 * -1_024)
        case .swapped: number % 2 == 0 ? 1_008 : -1_008
        case .around: [0, 576, 0, -576][number % 4]
        case .late: number % 10 == 5 ? 672 : 0
        case .oneFarAhead: number == 50 ? 144_000 : 0
        case .oneFarBehind: number == 50 ? -48_000 : 0
        case .lastAhead: number == 99 ? 48_000 : 0
        case .lastBehind: number == 99 ? -2_000 : 0
        case .someAhead: (20..<24).contains(number) ? 30_000 : 0
        }
    }
}
