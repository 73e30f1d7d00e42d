public import SluiceCore

/// Places the packets of one stream on the title's output timeline.
///
/// A stamp is decided from itself alone, never from its neighbours, so that any producer gets the same value
/// (docs/seeking.md). Containers that round (Matroska and FLV to a millisecond) get their stamps back on the exact grid
/// of the stream, as long as the stamp lies within the container's rounding of that grid.
public struct TrackClock: Sendable, Hashable {
    /// The exact places where samples of a stream with a constant period lie: `phase + n × period`.
    public struct Grid: Sendable, Hashable {
        /// Distance of two samples, in ticks of the track's timescale.
        public var period: Int64
        /// One sample's exact place, in ticks of the track's timescale from the title's origin.
        public var phase: Int64
        /// How far a stamp may lie from its place, in ticks of the track's timescale.
        public var tolerance: Int64

        public init(period: Int64, phase: Int64, tolerance: Int64) {
            self.period = max(1, period)
            self.phase = phase
            self.tolerance = tolerance
        }
    }

    public var source: Timebase
    /// Ticks a second on the output.
    public var timescale: Int32
    /// Source time that is presented at 0.
    public var origin: Timestamp
    /// Nil where stamps are exact already, or no constant period is proven.
    public var grid: Grid?

    public init(source: Timebase, timescale: Int32, origin: Timestamp, grid: Grid? = nil) {
        self.source = source
        self.timescale = max(1, timescale)
        self.origin = origin
        self.grid = grid
    }

    public var timebase: Timebase { Timebase(hertz: timescale) }

    /// Output ticks of a stamp in source ticks.
    public func output(_ ticks: Int64) -> Int64 {
        let plain = plainOutput(ticks)
        guard let grid else { return plain }
        let (distance, overflow) = plain.subtractingReportingOverflow(grid.phase)
        guard !overflow else { return plain }
        let steps = distance.scaled(by: 1, over: grid.period)
        let exact = grid.phase &+ steps &* grid.period
        return abs(exact &- plain) <= grid.tolerance ? exact : plain
    }

    /// Source ticks of an output time, for seeks; the nearest.
    public func sourceTicks(of output: Int64) -> Int64 {
        let shift = origin.converted(to: source).ticks
        return output.rescaled(from: timebase, to: source).addingReportingOverflow(shift).partialValue
    }

    /// Without the grid: shifted by the origin and rescaled once, rounding once.
    private func plainOutput(_ ticks: Int64) -> Int64 {
        // Both on a common clock first, so that origins of another stream's time base add no rounding of their own.
        let top = Int128(ticks) * Int128(source.numerator) * Int128(origin.timebase.denominator)
            - Int128(origin.ticks) * Int128(origin.timebase.numerator) * Int128(source.denominator)
        let bottom = Int128(source.denominator) * Int128(origin.timebase.denominator)
        let scaled = top * Int128(timescale)
        let division = scaled.quotientAndRemainder(dividingBy: bottom)
        var quotient = division.quotient
        if division.remainder.magnitude * 2 >= bottom.magnitude { quotient += scaled < 0 ? -1 : 1 }
        return Int64(clamping: quotient)
    }
}
