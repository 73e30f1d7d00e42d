import SluiceCore

/// How fine the stamps of a stream really are: remuxed files keep the rounding of the container they came from. Pure.
enum StampGranularity {
    /// Stamps that show a rounding; fewer could be whole milliseconds by chance.
    static let leastCount = 16

    /// Milliseconds where all stamps lie whole milliseconds apart on a finer clock, else the clock itself.
    static func effective(_ times: [Int64], _ timebase: Timebase) -> Timebase {
        guard timebase.numerator == 1, timebase.denominator > 1_000, timebase.denominator % 1_000 == 0,
            times.count >= leastCount, let first = times.first
        else { return timebase }
        let step = Int64(timebase.denominator / 1_000)
        return times.allSatisfy { ($0 &- first) % step == 0 } ? .milliseconds : timebase
    }

    /// Ticks of `effective` from the first stamp.
    static func ticks(_ times: [Int64], _ timebase: Timebase, effective: Timebase) -> [Int64] {
        guard effective != timebase, let first = times.first else { return times }
        let step = Int64(timebase.denominator / effective.denominator)
        return times.map { ($0 &- first) / step }
    }
}
