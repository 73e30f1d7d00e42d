import SluiceBitstream
import SluiceCore
import Testing

@testable import SluiceNodes

/// The rules under repaired times, by numbers worked out by hand.
struct RepairRuleTests {
    /// Groups of I, P, B, B with orders 0, 6, 2, 4, a step of 10 ticks, offsets from the container or none.
    private func pictures(_ groups: [Bool], lead: Int64 = 10) -> [StampRule.Picture] {
        groups.enumerated().flatMap { group, hasOffsets in
            zip([0, 6, 2, 4] as [Int32], 0...).map { count, number in
                let decode = Int64(group * 40 + number * 10) - lead
                let shown = Int64(group * 40) + Int64(count) * 5
                return StampRule.Picture(
                    presentation: hasOffsets ? shown : decode, decode: decode,
                    order: PictureOrder(sequence: Int32(group), count: count))
            }
        }
    }
    private let points = [0, 4, 8, 12]

    @Test func offsetsThatEndLaterAreThoseOfTheBeginning() {
        let stamps = StampRule.judge(pictures([true, false, false, false]), points: points, isMovie: true)
        #expect(stamps == .decode([PictureStamps.Stretch(shift: 10)]))
    }

    @Test func theEditThatTrimsTheDelaySaysHowLongItIs() {
        let stamps = StampRule.judge(pictures([false, false, false, false]), points: points, isMovie: true)
        #expect(stamps == .decode([PictureStamps.Stretch(shift: 10)]))
        let untrimmed = pictures([false, false, false, false], lead: 0)
        #expect(StampRule.judge(untrimmed, points: points, isMovie: true) == .coded)
    }

    @Test func healthyFilesAndOneWrongOrderStay() {
        let points = (0..<8).map { $0 * 4 }
        var all = pictures([Bool](repeating: true, count: 8))
        #expect(StampRule.judge(all, points: points, isMovie: true) == .container)
        all[9].order?.count = 3
        #expect(StampRule.judge(all, points: points, isMovie: true) == .container)
    }

    /// Distances that change with the cadence are stretches of their own; those with offsets keep their times.
    @Test func stretchesHoldFromTheirDecodeTimeOn() {
        let stretches = [
            PictureStamps.Stretch(shift: 10), PictureStamps.Stretch(from: 100, shift: nil),
            PictureStamps.Stretch(from: 200, shift: 30),
        ]
        #expect(PictureStamps.place(stretches, presentation: 7, decode: 99) == 109)
        #expect(PictureStamps.place(stretches, presentation: 7, decode: 100) == 7)
        #expect(PictureStamps.place(stretches, presentation: nil, decode: 150) == nil)
        #expect(PictureStamps.place(stretches, presentation: 7, decode: 250) == 280)
        #expect(PictureStamps.place(stretches, presentation: 7, decode: nil) == nil)
    }

    /// 23 pictures a second on a clock of 90 kHz: 3913.04 ticks each.
    @Test func laddersDoNotDrift() {
        let ladder = PictureLadder(
            period: Timebase(hertz: 23), unit: 2, rungs: [PictureLadder.Rung(stamp: 500, place: 100)])
        var walk = LadderWalk(ladder, .mpeg)
        var found: [Int64?] = []
        // Nothing comes before the first; the last does not say where it stands.
        for (stamp, count) in [(400, 0), (500, 8), (501, 8 + 2 * 2_300), (502, 6), (503, nil)] as [(Int64, Int32?)] {
            found.append(walk.place(stamp, count.map { PictureOrder(sequence: 0, count: $0) }))
        }
        let wanted: [Int64?] = [nil, 100, 9_000_100, -3_813, nil]
        #expect(found == wanted)
    }

    /// Pushed stamps by hand: a step of 30, pushed by 10; the second key is 60 late.
    @Test func whatLiesLowestIsTheTruth() throws {
        var all: [StampRule.Picture] = []
        var points: [Int] = []
        var last: Int64 = -10
        for group in 0..<12 {
            points.append(all.count)
            for count in [0, 6, 2, 4] as [Int32] {
                let truth = Int64(group) * 120 + Int64(count) * 15
                let stamp = max(truth + (group == 1 && count == 0 ? 60 : 0), last + 10)
                last = stamp
                all.append(
                    StampRule.Picture(
                        presentation: stamp, decode: stamp, order: PictureOrder(sequence: Int32(group), count: count)))
            }
        }
        let clock = Timebase(hertz: 750)
        let ladder = try #require(ClampRule.ladder(all, points: points, clock, stated: [Timebase(hertz: 25)]))
        #expect(ladder.period == Timebase(hertz: 25))
        #expect(ladder.unit == 2)
        #expect(ladder.rungs.map(\.place) == (0..<12).map { Int64($0) * 120 })
        // One picture a little late without anything that pushed it.
        var doubtful = all
        doubtful[20].presentation = doubtful[20].presentation.map { $0 + 7 }
        doubtful[20].decode = doubtful[20].presentation
        doubtful[21].presentation = doubtful[21].presentation.map { $0 + 40 }
        doubtful[21].decode = doubtful[21].presentation
        #expect(ClampRule.ladder(doubtful, points: points, clock, stated: [Timebase(hertz: 25)]) == nil)
        // A missing picture.
        var short = all
        short.remove(at: 22)
        #expect(ClampRule.ladder(short, points: points.map { $0 > 22 ? $0 - 1 : $0 }, clock, stated: []) == nil)
    }

    @Test func longRunsOfPicturesWithoutAnOffsetAreLookedAt() {
        let healthy = (0..<40).map { Int64($0) * 10 + [20, 40, 10, 10][$0 % 4] }
        let decodes = (0..<40).map { Int64($0) * 10 }
        #expect(OffsetDoubtRule.ranges(healthy, decodes, points: [0, 20]).isEmpty)
        #expect(OffsetDoubtRule.ranges(decodes, decodes, points: [0, 20]) == [0..<40])
        let late = Array(healthy[..<20] + decodes[20...])
        #expect(OffsetDoubtRule.ranges(late, decodes, points: [0, 20]) == [20..<40])
        let inside = Array(healthy[..<22] + decodes[22...])
        #expect(OffsetDoubtRule.ranges(inside, decodes, points: [0, 20]).count == 1)
    }
}
