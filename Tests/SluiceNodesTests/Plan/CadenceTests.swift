import SluiceCore
import Testing

@testable import SluiceNodes

struct CadenceTests {
    static let rates: [Timebase] = [
        (1_001, 24_000), (1, 24), (1, 25), (1_001, 30_000), (1, 30), (1, 50), (1_001, 60_000), (1, 60),
        (1_001, 120_000), (1, 144), (2, 25),
    ].compactMap { Timebase($0.0, $0.1) }

    /// A minute of pictures whose times a container rounds to milliseconds.
    @Test(arguments: rates)
    func roundedTimesShowTheExactPeriod(period: Timebase) {
        let times = (0..<1_500).map { Int64($0).rescaled(from: period, to: .milliseconds) + 83 }
        #expect(CadenceRule.period(times.shuffled(), .milliseconds, declared: []) == period)
    }

    @Test func aWrongDeclarationIsNotBelieved() throws {
        let times = (0..<1_500).map { Int64($0) * 40 }
        let claim = try #require(Timebase(1_001, 24_000))
        #expect(CadenceRule.period(times, .milliseconds, declared: [claim]) == Timebase(hertz: 25))
    }

    /// 600 pictures a second in milliseconds: two places lie in one tick.
    @Test func stampsCoarserThanHalfAPeriodProveNothing() throws {
        let claim = try #require(Timebase(1, 600))
        let times = (0..<60).map { Int64($0).rescaled(from: claim, to: .milliseconds) }
        #expect(CadenceRule.period(times, .milliseconds, declared: [claim]) == nil)
        // A whole tick each is exact.
        #expect(CadenceRule.period(Array(0..<60), Timebase(hertz: 25), declared: []) == Timebase(hertz: 25))
    }

    @Test func twoOfThreeIsNoCadence() {
        let places: [Int] = Array(0..<600) + (600..<1_200).filter { $0 % 3 != 0 }
        let times: [Int64] = places.map { Int64($0) * 1_500 }
        #expect(CadenceRule.period(times, .mpeg, declared: []) == nil)
    }

    @Test func aFewMissingPicturesChangeNothing() {
        let times: [Int64] = (0..<1_000).filter { (place: Int64) in place != 200 && place != 731 }.map { $0 * 40 }
        #expect(CadenceRule.period(times, .milliseconds, declared: []) == Timebase(hertz: 25))
    }

    @Test func jitterBeyondTheRoundingIsNoCadence() {
        let times: [Int64] = (0..<500).map { (place: Int64) in place * 40 + (place % 7 == 0 ? 9 : 0) }
        #expect(CadenceRule.period(times, .milliseconds, declared: []) == nil)
    }

    /// AAC frames of 1024 samples at 48 kHz in Matroska: 21.33 ms, written as 21 or 22.
    @Test func roundedSoundComesBackToItsSamples() {
        let frames = (0..<500).map { Int64($0) * 1_024 }
        let times = frames.map { $0.rescaled(from: Timebase(hertz: 48_000), to: .milliseconds) }
        var clock = TrackClock(source: .milliseconds, timescale: 48_000, origin: Timestamp(0, .milliseconds))
        clock.grids = GridRule.grids(times, clock: clock, period: 1_024, tolerance: 48)
        #expect(clock.grids.count == 1)
        #expect(times.map { clock.output($0) } == frames)
    }

    @Test func afterAHoleTheGridHasAnotherPhase() throws {
        let times = (0..<100).map { (Int64($0) * 1_024).rescaled(from: Timebase(hertz: 48_000), to: .milliseconds) }
        let later = times.map { $0 + 6_011 }
        var clock = TrackClock(source: .milliseconds, timescale: 48_000, origin: Timestamp(0, .milliseconds))
        clock.grids = GridRule.grids(times + later, clock: clock, period: 1_024, tolerance: 48)
        #expect(clock.grids.count == 2)
        let outputs = later.map { clock.output($0) }
        #expect(zip(outputs, outputs.dropFirst()).allSatisfy { $1 - $0 == 1_024 })
        let first: Int64 = 6_011 * 48
        #expect(outputs.first == first)
    }

    @Test func theEpochIsToldByThePlaceInTheFile() {
        let clock = TrackClock(
            source: .mpeg, timescale: 90_000, origin: Timestamp(126_000, .mpeg),
            epochs: [ClockEpoch(position: 1_000, shift: 2_160_000), ClockEpoch(position: 5_000, shift: 4_320_000)])
        #expect(clock.output(126_000) == 0)
        #expect(clock.output(126_000, position: 999) == 0)
        #expect(clock.output(126_000, position: 1_000) == 2_160_000)
        #expect(clock.output(126_000, position: 9_000) == 4_320_000)
    }

    @Test func aRestartIsASeamAndAWrapIsExact() {
        var streams = [StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)]
        streams[0].video = VideoFormat(width: 320, height: 180)
        streams[0].video?.framePeriod = Timebase(hertz: 25)
        var restart = SeamDetector(streams, master: StreamID(0))
        for (place, time) in [(0, 900_000), (188, 903_600), (376, 907_200), (564, 90_000), (752, 93_600)]
            as [(Int64, Int64)]
        {
            restart.add(stream: 0, time: time, presentation: time, position: place)
        }
        #expect(restart.epochs() == [ClockEpoch(position: 564, shift: 820_800)])

        var wrap = SeamDetector(streams, master: StreamID(0))
        let end: Int64 = 1 << 33
        for (place, time) in [(0, end - 7_200), (188, end - 3_600), (376, 0), (564, 3_600)] as [(Int64, Int64)] {
            wrap.add(stream: 0, time: time, presentation: time, position: place)
        }
        #expect(wrap.epochs() == [ClockEpoch(position: 376, shift: end)])
    }
}
