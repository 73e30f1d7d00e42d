import SluiceCore
import Testing

@testable import Sluice

@Suite struct ProducerRuleTests {
    @Test(arguments: [
        (wanted: 5, next: Optional(5), decision: ReachPolicy.Decision.wait),
        (wanted: 13, next: 5, decision: .wait), (wanted: 14, next: 5, decision: .move),
        (wanted: 4, next: 5, decision: .move), (wanted: 0, next: nil, decision: .move),
    ])
    func aWantWithinReachIsWaitedFor(_ row: (wanted: Int, next: Int?, decision: ReachPolicy.Decision)) {
        #expect(ReachPolicy().decide(wanted: row.wanted, next: row.next) == row.decision)
    }

    /// Who jumps once may jump again; who goes forward goes on.
    @Test func productionRunsFurtherAheadTheLongerAViewerGoesForward() {
        var slot = ProducerSlot(id: 1, anchor: 20)
        var limits = [slot.limit]
        for index in 21...24 {
            slot.ask(for: index)
            limits.append(slot.limit)
        }
        #expect(limits == [21, 23, 26, 31, 34])
        slot.ask(for: 24)
        slot.ask(for: 3)
        #expect(slot.limit == 34, "asked for again, or behind")
        slot.move(to: 50)
        #expect(slot.limit == 51)
        slot.halt()
        #expect(slot.limit == -1, "nobody wants anything")
    }

    @Test func whatAnEarlierPositionLeftInTheLineMovesNoFront() {
        var slot = ProducerSlot(id: 1, anchor: 5)
        slot.published("video", 5)
        slot.published("video", 6)
        slot.published("audio-1", 5)
        #expect(slot.next("video") == 7 && slot.next("audio-1") == 6)
        slot.move(to: 40)
        slot.published("video", 7)
        #expect(slot.next("video") == 40)
        slot.ended()
        #expect(slot.next("video") == nil)
    }

    private func candidate(_ id: Int, next: Int?, waits: Int = 0, unused: Duration?) -> ProducerRule.Candidate {
        ProducerRule.Candidate(id: id, next: next, waits: waits, unused: unused)
    }

    @Test func theNearestProducerThatComesByIsWaitedFor() {
        let rule = ProducerRule()
        let two = [
            candidate(1, next: 2, unused: .seconds(1)), candidate(2, next: 7, unused: .seconds(1)),
        ]
        #expect(rule.decide(wanted: 8, among: two, mayStart: true) == .wait(2))
        #expect(rule.decide(wanted: 3, among: two, mayStart: true) == .wait(1))
    }

    @Test func aProducerWithoutAViewerIsMovedBeforeANewOneStarts() {
        let rule = ProducerRule()
        let old = candidate(1, next: 2, unused: .seconds(11))
        let fresh = candidate(1, next: 2, unused: .seconds(9))
        let never = candidate(1, next: 2, unused: nil)
        #expect(rule.decide(wanted: 90, among: [old], mayStart: true) == .move(1))
        #expect(rule.decide(wanted: 90, among: [never], mayStart: true) == .move(1), "its want was given up")
        #expect(rule.decide(wanted: 90, among: [fresh], mayStart: true) == .start)
        #expect(rule.decide(wanted: 90, among: [], mayStart: true) == .start)
    }

    @Test func atTheLimitTheOneWhoseViewerAskedLongestAgoIsMovedAndNobodyIsTakenFromThoseWhoWait() {
        let rule = ProducerRule()
        let (left, right) = (candidate(1, next: 2, unused: .seconds(3)), candidate(2, next: 40, unused: .seconds(5)))
        #expect(rule.decide(wanted: 90, among: [left, right], mayStart: true) == .move(2))
        #expect(rule.decide(wanted: 90, among: [left], mayStart: false) == .move(1), "the server's limit")
        let busy = candidate(2, next: 40, waits: 1, unused: .seconds(5))
        #expect(rule.decide(wanted: 90, among: [left, busy], mayStart: true) == .move(1))
        let also = candidate(1, next: 2, waits: 3, unused: .seconds(50))
        #expect(rule.decide(wanted: 90, among: [also, busy], mayStart: true) == .queue)
        #expect(rule.decide(wanted: 90, among: [], mayStart: false) == .refuse)
    }
}
