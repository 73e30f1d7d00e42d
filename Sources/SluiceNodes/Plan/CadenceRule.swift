import SluiceCore

/// Proves a constant picture period from presentation times. Pure.
enum CadenceRule {
    /// Share of missing places, in thousandths, beyond which the pictures count as having no constant period.
    static let holeLimit = 20
    /// Fewer pictures prove nothing.
    static let leastCount = 8

    /// Rates that films and broadcasts use, as periods; exact fractions.
    private static let standard: [Timebase] = {
        let whole: [Int32] = [24, 25, 30, 50, 60, 48, 100, 120, 15, 10, 12, 20, 90, 144, 240, 5, 8, 6, 1]
        return whole.map { Timebase(hertz: $0) }
            + [24, 30, 60, 48, 120, 15, 12, 240].compactMap { Timebase(1_001, $0 * 1_000) }
            + [Timebase(2, 25), Timebase(2, 15), Timebase(2, 29)].compactMap(\.self)
    }()

    /// The period of which all stamps are whole multiples apart, within the clock's own rounding; nil where there is none.
    ///
    /// - Parameters:
    ///   - times: presentation times in any order.
    ///   - declared: what the container and the parameter sets claim; tried first.
    static func period(_ times: [Int64], _ timebase: Timebase, declared: [Timebase]) -> Timebase? {
        guard times.count >= leastCount else { return nil }
        let sorted = times.sorted()
        guard let first = sorted.first, let last = sorted.last, last > first else { return nil }
        // What the stamps themselves amount to, where none is missing.
        let mean = Double(last &- first) / Double(sorted.count - 1)
        let typical = median(sorted)
        let seconds = Double(timebase.numerator) / Double(timebase.denominator)
        func isNear(_ period: Timebase) -> Bool {
            let ticks = Double(period.numerator) / Double(period.denominator) / seconds
            return abs(ticks - typical) <= 1.01 || abs(ticks - mean) <= mean * 0.002
        }
        let whole = wholeRates(typical * seconds)
        return (declared + standard + whole).first { isNear($0) && fits(sorted, timebase, $0) }
    }

    /// What is stated, and the rates that films and broadcasts use, each within a hundredth of the measured period; the
    /// nearest of those last first.
    ///
    /// - Note: behaviours RP-08.
    static func candidates(near seconds: Double, stated: [Timebase]) -> [Timebase] {
        func distance(_ period: Timebase) -> Double {
            abs(Double(period.numerator) / Double(period.denominator) - seconds) / max(seconds, 1e-9)
        }
        let known = (standard + wholeRates(seconds)).sorted { distance($0) < distance($1) }
        var found: [Timebase] = []
        for period in stated + known where distance(period) <= 0.01 && !found.contains(period) { found.append(period) }
        return Array(found.prefix(8))
    }

    /// Pictures in a row that show a rate.
    static let peakCount = 24

    /// The distance of pictures where they come fastest: a rate that films use where one is within a hundredth.
    static func peak(_ times: [Int64], _ timebase: Timebase) -> Timebase? {
        let sorted = times.sorted()
        let count = min(peakCount, sorted.count - 1)
        guard count > 0 else { return nil }
        let least = zip(sorted.dropFirst(count), sorted).map { $0 &- $1 }.filter { $0 > 0 }.min()
        guard let least else { return nil }
        let seconds = Double(least) / Double(count) * Double(timebase.numerator) / Double(timebase.denominator)
        if let known = candidates(near: seconds, stated: []).first { return known }
        // In microseconds a picture.
        return Int32(exactly: (seconds * 1_000_000).rounded()).flatMap { Timebase($0, 1_000_000) }
    }

    /// Whole rates near the one that the typical step shows, with and without the 1000/1001 of colour television.
    private static func wholeRates(_ step: Double) -> [Timebase] {
        guard step > 0, step.isFinite else { return [] }
        let rate = (1 / step).rounded()
        guard rate >= 1, rate <= 1_000 else { return [] }
        let near = Int32(rate)
        return [Timebase(1, near), Timebase(1_001, near &* 1_000)].compactMap(\.self)
    }

    private static func median(_ sorted: [Int64]) -> Double {
        var steps: [Int64] = []
        let stride = max(1, sorted.count / 2_000)
        var index = 1
        while index < sorted.count {
            steps.append(sorted[index] &- sorted[index - 1])
            index += stride
        }
        steps.sort()
        return steps.isEmpty ? 0 : Double(steps[steps.count / 2])
    }

    /// Every stamp lies within a tick of its place, and few places are empty.
    static func fits(_ sorted: [Int64], _ timebase: Timebase, _ period: Timebase) -> Bool {
        guard let first = sorted.first else { return false }
        // One place every `top / bottom` ticks.
        let top = Int128(period.numerator) * Int128(timebase.denominator)
        let bottom = Int128(period.denominator) * Int128(timebase.numerator)
        // Stamps coarser than half a period tell no two places apart, unless the period is whole ticks.
        guard top >= bottom * 2 || (top >= bottom && top % bottom == 0) else { return false }
        var places: Int64 = 0
        var holes: Int64 = 0
        for time in sorted.dropFirst() {
            let distance = Int128(time) - Int128(first)
            let place = (distance * bottom * 2 + top) / (top * 2)
            let error = (distance * bottom - place * top).magnitude
            guard error <= bottom.magnitude else { return false }
            let number = Int64(clamping: place)
            // Two pictures in one place are no cadence.
            guard number > places else { return false }
            holes += number - places - 1
            places = number
        }
        return holes * 1_000 <= places * Int64(holeLimit)
    }
}
