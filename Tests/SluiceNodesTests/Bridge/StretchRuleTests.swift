import Testing

@testable import SluiceNodes

/// Where runs of samples lie whose stamps a container has rounded.
@Suite struct StretchRuleTests {
    /// Places of the frames as the rule tells them, from stamps in milliseconds.
    private func places(_ milliseconds: [Double?], count: Int, rate: Int, phase: Int64? = nil) -> [Int64] {
        var rule = StretchRule(rate: rate, phase: phase)
        var places: [Int64] = []
        var waiting = 0
        func settled(_ start: Int64) {
            for number in 0..<waiting { places.append(start + Int64(number * count)) }
            waiting = 0
        }
        for stamp in milliseconds {
            let samples = stamp.map { Int64(($0 * Double(rate) / 1_000).rounded()) }
            switch rule.add(stamp: samples, count: count) {
            case .wait: waiting += 1
            case .follow: places.append((places.last ?? 0) + Int64(count))
            case .settle(let start):
                waiting += 1
                settled(start)
            case .restart(let start):
                if let start { settled(start) }
                waiting = 1
            }
        }
        if let start = rule.finish() { settled(start) }
        return places
    }

    /// TrueHD in Matroska: frames of 40 samples, 5/6 ms, stamped in whole milliseconds.
    @Test func roundedStampsLeadToTheSamePlaceWhereverOneBegins() {
        let stamps: [Double?] = (0..<200).map { number -> Double? in (Double(number) * 40_000 / 48_000).rounded() }
        let whole = places(stamps, count: 40, rate: 48_000)
        #expect(whole.count == 200)
        #expect(abs(whole[0]) <= 8)
        for begin in [1, 2, 3, 50, 101, 150] {
            let late = places(Array(stamps[begin...]), count: 40, rate: 48_000)
            #expect(late == Array(whole[begin...]), "begun at \(begin)")
        }
    }

    /// Where the stream's first sample lies is known: frames can begin only at whole frames from it.
    @Test func theFirstSampleMakesPlacesExact() {
        let stamps: [Double?] = (0..<400).map { number -> Double? in (Double(number) * 1_152_000 / 44_100).rounded() }
        for begin in [0, 1, 57, 200, 383] {
            let found = places(Array(stamps[begin...]), count: 1_152, rate: 44_100, phase: 0)
            #expect(found.first == Int64(begin) * 1_152, "begun at \(begin)")
        }
        // Behind a hole the places are others.
        let moved = stamps.map { $0.map { $0 + 5_013 } }
        let found = places(moved, count: 1_152, rate: 44_100, phase: 0)
        #expect(abs((found.first ?? 0) - 221_073) <= 12)
    }

    @Test func exactStampsAreKept() {
        let stamps: [Double?] = (0..<40).map { number -> Double? in Double(number) * 32 + 7.5 }
        let found = places(stamps, count: 1_536, rate: 48_000)
        let wanted: [Int64] = (0..<40).map { number -> Int64 in Int64(number) * 1_536 + 360 }
        #expect(found == wanted)
    }

    /// Behaviours AB-32: what is less than 100 ms off is jitter unless it stays.
    @Test func strayStampsMoveNothing() {
        var stamps: [Double?] = (0..<60).map { number -> Double? in Double(number) * 32 }
        stamps[30] = 30 * 32 + 60
        stamps[45] = nil
        let found = places(stamps, count: 1_536, rate: 48_000)
        let wanted: [Int64] = (0..<60).map { number -> Int64 in Int64(number) * 1_536 }
        #expect(found == wanted)
    }

    @Test func aHoleBeginsAnotherStretch() {
        var stamps: [Double?] = []
        var wanted: [Int64] = []
        for number in 0..<60 {
            let hole = number < 30 ? 0 : 4_000 - 30 * 32
            stamps.append(Double(number * 32 + hole))
            wanted.append(Int64(number * 32 + hole) * 48)
        }
        let found = places(stamps, count: 1_536, rate: 48_000)
        #expect(found == wanted)
    }

    @Test func stampsAtTheEndsOfTimeDoNotTrap() {
        var rule = StretchRule(rate: 48_000)
        for stamp in [Int64.max, -1, .min, .max, 0, .min] as [Int64] { _ = rule.add(stamp: stamp, count: 1_024) }
        _ = rule.finish()
    }

    @Test func whatStaysOffIsBelieved() {
        let stamps: [Double?] = (0..<80).map { number -> Double? in Double(number * 32 + (number < 40 ? 0 : 50)) }
        let found = places(stamps, count: 1_536, rate: 48_000)
        #expect(found[46] == 46 * 1_536)
        #expect(found[79] == 79 * 1_536 + 2_400)
    }
}
