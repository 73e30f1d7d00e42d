import SluiceDataflow
import Testing

@testable import SluiceGraph

@Suite struct StallDetectorTests {
    private typealias Node = (name: String, isSource: Bool, numbers: NodeNumbers)
    private let start = ContinuousClock.now

    private func node(_ name: String, _ activity: NodeActivity, isSource: Bool = false) -> Node {
        var numbers = NodeNumbers()
        numbers.activity = activity
        return (name, isSource, numbers)
    }

    /// The verdict of each second from the start on.
    private func verdicts(_ nodes: [Node], seconds: Int = 4) -> [StallDetector.Verdict] {
        var detector = StallDetector()
        return (0...seconds).map { detector.look(nodes, at: start + .seconds($0)) }
    }

    @Test func whatIsBusyIsNamedOnce() {
        let nodes = [node("in", .waitingForOutput, isSource: true), node("out", .busy)]
        #expect(verdicts(nodes) == [.fine, .fine, .stalled("out"), .fine, .fine])
    }

    @Test func aSourceThatWaitsForTheWorldIsNamed() {
        let nodes = [node("in", .waitingForInput, isSource: true), node("out", .waitingForInput)]
        #expect(verdicts(nodes)[2] == .stalled("in"))
    }

    @Test func allWaitingForEachOtherIsADeadlock() {
        let nodes = [node("in", .waitingForOutput, isSource: true), node("out", .waitingForInput)]
        #expect(verdicts(nodes)[2] == .deadlocked)
    }

    /// A publisher that is far enough ahead, and everything before it full.
    @Test func whatWasToldToWaitIsNoStall() {
        let full = [node("in", .waitingForOutput, isSource: true), node("out", .parked)]
        #expect(verdicts(full) == Array(repeating: .fine, count: 5))
        var detector = StallDetector()
        for second in 0...4 { _ = detector.look(full, at: start + .seconds(second)) }
        let stuck = [node("in", .waitingForOutput, isSource: true), node("out", .busy)]
        #expect((5...7).map { detector.look(stuck, at: start + .seconds($0)) } == [.fine, .fine, .stalled("out")])
    }
}
