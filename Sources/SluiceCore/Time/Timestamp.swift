/// A point on a stream's clock: ticks and the clock they are counted in.
///
/// Comparison is exact across time bases (128-bit cross products); no value is rounded to compare it.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    public var ticks: Int64
    public var timebase: Timebase

    public init(_ ticks: Int64, _ timebase: Timebase) {
        self.ticks = ticks
        self.timebase = timebase
    }

    /// The nearest nanosecond to `seconds`; not-a-number counts as zero, infinities saturate.
    public init(seconds: Double) {
        let scaled = seconds.isNaN ? 0 : (seconds * 1e9).rounded()
        self.init(Int64(clampingReal: scaled), .nanoseconds)
    }

    /// Seconds, as near as a `Double` comes. For display and coarse decisions, never for media arithmetic.
    public var seconds: Double { Double(ticks) * Double(timebase.numerator) / Double(timebase.denominator) }

    /// Nanoseconds since the clock's zero, rounded to nearest, saturating.
    public var nanoseconds: Int64 { ticks.rescaled(from: timebase, to: .nanoseconds) }

    /// The same point on another clock, rounded to nearest.
    public func converted(to other: Timebase, rounding: RescaleRounding = .nearest) -> Timestamp {
        Timestamp(ticks.rescaled(from: timebase, to: other, rounding: rounding), other)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.order(right) < 0 }

    /// Equal points in time are equal, whatever clock they are counted in.
    public static func == (left: Timestamp, right: Timestamp) -> Bool { left.order(right) == 0 }

    public func hash(into hasher: inout Hasher) {
        // Reduced to lowest terms, so that equal points hash equally.
        let top = Int128(ticks) * Int128(timebase.numerator)
        let divisor = Self.greatestCommonDivisor(top.magnitude, UInt128(timebase.denominator.magnitude))
        hasher.combine(top / Int128(divisor))
        hasher.combine(Int128(timebase.denominator) / Int128(divisor))
    }

    private func order(_ other: Timestamp) -> Int {
        let left = Int128(ticks) * Int128(timebase.numerator) * Int128(other.timebase.denominator)
        let right = Int128(other.ticks) * Int128(other.timebase.numerator) * Int128(timebase.denominator)
        return left < right ? -1 : (left > right ? 1 : 0)
    }

    private static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
        var (a, b) = (a, b)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }

    public var description: String { "\(ticks)@\(timebase)" }
}

extension Int64 {
    /// The nearest representable value; infinities saturate, not-a-number is 0.
    public init(clampingReal value: Double) {
        if value.isNaN { self = 0 } else { self = Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min) }
    }
}
