import SluiceAV
import SluiceCore
import Testing

@testable import SluiceNodes

/// Times are seconds or milliseconds as the case says; expectations are those of behaviours PL-01 to PL-10 and MU-01.
struct BoundaryTests {
    @Test func keysEachSecondAreCutAtTheTarget() {
        let starts = BoundaryRule.starts(points: Array(0..<20), end: 20, target: 6, minimum: 1)
        // The last two seconds are less than the target and belong to the segment before.
        #expect(starts == [0, 6, 12])
    }

    @Test func sparseKeysCutWhereTheyAre() {
        #expect(BoundaryRule.starts(points: [0, 9, 12], end: 18, target: 6, minimum: 1) == [0, 9, 12])
    }

    @Test func thresholdsCountFromTheTitleNotFromTheLastCut() {
        // After the key at 10 the next threshold is 12.
        let starts = BoundaryRule.starts(points: [0, 10, 11, 12, 13, 16, 20], end: 24, target: 4, minimum: 1)
        #expect(starts == [0, 10, 12, 16, 20])
    }

    @Test(arguments: [
        ([0, 4_000, 8_000], 10_799, [0, 4_000], "[4, 4, 2.799] is [4, 6.799]"),
        ([0, 20_000], 23_000, [0], "[20, 3] is [23]"),
        ([0, 4_000, 4_120], 8_120, [0, 4_120], "[4, 0.12, 4] is [4.12, 4]"),
        ([0, 40], 4_040, [0], "[0.04, 4] is [4.04]"),
        ([0, 4_000], 4_500, [0], "[4, 0.5] is [4.5]"),
        ([0], 700, [0], "a single one stays"),
    ])
    func shortSegmentsAreFolded(starts: [Int64], end: Int64, wanted: [Int64], _ what: Comment) {
        #expect(BoundaryRule.folded(starts, end: end, target: 4_000, minimum: 1_000) == wanted, what)
    }

    @Test func anotherConfigurationCutsWhateverTheLength() {
        let starts = BoundaryRule.starts(
            points: [0, 2, 5, 6, 8], end: 12, target: 4, minimum: 2, forced: [5])
        #expect(starts.contains(5))
    }

    @Test func gapsUpToThirtySecondsAreTrusted() throws {
        let trust = IndexTrust(target: .seconds(4))
        try trust.check(keys([0, 30_000, 60_000]), .milliseconds, duration: .seconds(70))
        #expect(throws: NodeFailure.self) {
            try trust.check(keys([0, 30_001, 60_000]), .milliseconds, duration: .seconds(70))
        }
    }

    @Test(arguments: [[0.0, 3.999], [0, 1, 2, 3, 3.5], [11.609, 3_299.8], [5]])
    func clusteredIndexesAreNotTrusted(seconds: [Double]) {
        #expect(throws: NodeFailure.self) {
            try IndexTrust(target: .seconds(4)).check(
                keys(seconds.map { Int64($0 * 1_000) }), .milliseconds, duration: .seconds(6_599))
        }
    }

    @Test func anIndexThatSpansOneTargetIsTrusted() throws {
        try IndexTrust(target: .seconds(4)).check(keys([0, 4_000]), .milliseconds, duration: .seconds(8))
    }

    private func keys(_ ticks: [Int64]) -> [IndexEntry] {
        ticks.map { IndexEntry(ticks: $0, position: $0, size: 0, isKeyframe: true) }
    }

    @Test("points that lie far apart are counted at once")
    func farApart() {
        let far: Int64 = 1 << 62
        let starts = BoundaryRule.starts(
            points: [0, far, far + 3, Int64.max - 1], end: Int64.max, target: 2, minimum: 1)
        #expect(starts == [0, far, far + 3])
    }
}
