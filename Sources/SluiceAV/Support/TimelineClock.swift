import SluiceCore

/// Turns a stream's ticks into nanoseconds with one 64-bit division.
///
/// Exact conversion reduces `numerator × 10⁹ / denominator` once; only ticks that would overflow take the 128-bit path.
struct TimelineClock: Sendable {
    let timebase: Timebase
    private let multiplier: Int64
    private let divisor: Int64
    /// Largest magnitude of ticks for which `multiplier` cannot overflow.
    private let limit: Int64

    init(_ timebase: Timebase) {
        self.timebase = timebase
        let top = Int64(timebase.numerator) * 1_000_000_000
        let bottom = Int64(timebase.denominator)
        var (a, b) = (top, bottom)
        while b != 0 { (a, b) = (b, a % b) }
        multiplier = top / a
        divisor = bottom / a
        limit = (Int64.max - divisor) / multiplier
    }

    /// Nanoseconds, rounded to nearest, saturating.
    func nanoseconds(_ ticks: Int64) -> Int64 {
        guard ticks <= limit, ticks >= -limit else { return ticks.rescaled(from: timebase, to: .nanoseconds) }
        let product = ticks &* multiplier
        if divisor == 1 { return product }
        let half = divisor / 2
        return (product &+ (product < 0 ? -half : half)) / divisor
    }
}
