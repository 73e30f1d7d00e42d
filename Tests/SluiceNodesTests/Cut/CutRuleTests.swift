import SluiceCore
import Testing

@testable import SluiceNodes

struct CutRuleTests {
    /// An open group: the pictures after the key at 100 that present before it stay with it.
    @Test func leadingPicturesStayWithTheirKey() {
        var rule = CutRule(starts: [0, 100], isGated: true, first: 0)
        let line: [(Int64, Bool, CutRule.Decision)] = [
            (0, true, .open(index: 0)), (50, false, .keep), (100, true, .open(index: 1)), (90, false, .keep),
            (95, false, .keep), (110, false, .keep),
        ]
        for (time, isKey, wanted) in line { #expect(rule.decide(time: time, isRandomAccess: isKey) == wanted) }
        #expect(rule.due == nil)
    }

    @Test func whatComesBeforeTheFirstSegmentIsDropped() {
        var picture = CutRule(starts: [0, 100, 200], isGated: true, first: 1)
        #expect(picture.decide(time: 0, isRandomAccess: true) == .drop)
        #expect(picture.decide(time: 90, isRandomAccess: false) == .drop)
        #expect(picture.decide(time: 100, isRandomAccess: true) == .open(index: 1))
        var sound = CutRule(starts: [0, 100, 200], isGated: false, first: 1)
        #expect(sound.decide(time: 99, isRandomAccess: true) == .drop)
        #expect(sound.decide(time: 101, isRandomAccess: true) == .open(index: 1))
        #expect(sound.decide(time: 130, isRandomAccess: true) == .keep)
    }

    @Test func aKeyThatThePlanDoesNotNameContinuesItsSegment() {
        var rule = CutRule(starts: [0, 100], isGated: true, first: 0)
        _ = rule.decide(time: 0, isRandomAccess: true)
        #expect(rule.decide(time: 60, isRandomAccess: true) == .keep)
    }

    @Test func aBoundaryThatDoesNotComeIsSeenAtTheNextKey() {
        var rule = CutRule(starts: [0, 100, 200], isGated: true, first: 0)
        _ = rule.decide(time: 0, isRandomAccess: true)
        #expect(rule.decide(time: 100, isRandomAccess: false) == .keep)
        #expect(rule.decide(time: 130, isRandomAccess: true) == .missed(index: 1))
        #expect(rule.due == 1)
    }

    @Test func soundCrossesASegmentItHasNothingOf() {
        var rule = CutRule(starts: [0, 100, 200, 300], isGated: false, first: 0)
        #expect(rule.decide(time: 0, isRandomAccess: true) == .open(index: 0))
        #expect(rule.decide(time: 250, isRandomAccess: true) == .open(index: 2))
        #expect(rule.decide(time: 240, isRandomAccess: true) == .keep)
        #expect(rule.decide(time: 190, isRandomAccess: true) == .keep, "time that runs backwards reopens nothing")
    }

    @Test func placementDropsWhatTheTitleDoesNotServe() {
        var facts = TitleFacts(formatName: "mov", streams: [], origin: Timestamp(0, .milliseconds))
        facts.video = StreamID(0)
        facts.audio = [StreamID(1)]
        let clock = TrackClock(source: .milliseconds, timescale: 48_000, origin: Timestamp(0, .milliseconds))
        var sound = PlacementRule(facts, StreamID(1), clock: clock)
        #expect(sound.verdict(presentation: -21, decode: nil, duration: 21, position: nil) == .drop)
        #expect(
            sound.verdict(presentation: nil, decode: 10, duration: 21, position: nil)
                == .place(presentation: 480, duration: 1_008))
        facts.reorderDepth = 2
        var picture = PlacementRule(facts, StreamID(0), clock: clock)
        #expect(picture.verdict(presentation: nil, decode: 40, duration: 40, position: nil) == .unplaced)
    }
}
