/// The duration of one tick, in seconds, as a fraction: `numerator / denominator`.
///
/// Both parts are positive. 90 kHz clocks are `Timebase(1, 90_000)`, milliseconds `Timebase(1, 1_000)`.
public struct Timebase: Sendable, Hashable, CustomStringConvertible {
    public let numerator: Int32
    public let denominator: Int32

    /// Returns nil where a part is zero or negative, as damaged files declare.
    public init?(_ numerator: Int32, _ denominator: Int32) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    private init(literal denominator: Int32) {
        numerator = 1
        self.denominator = denominator
    }

    /// A clock of `hertz` ticks a second; values below 1 are taken as 1.
    public init(hertz: Int32) { self.init(literal: max(1, hertz)) }

    /// One tick is a millisecond (Matroska, FLV).
    public static let milliseconds = Timebase(literal: 1_000)
    /// One tick is a microsecond.
    public static let microseconds = Timebase(literal: 1_000_000)
    /// One tick is a nanosecond.
    public static let nanoseconds = Timebase(literal: 1_000_000_000)
    /// The MPEG-2 system clock.
    /// - Note: ISO/IEC 13818-1 §2.4.3.7.
    public static let mpeg = Timebase(literal: 90_000)

    public var description: String { "\(numerator)/\(denominator)" }
}
