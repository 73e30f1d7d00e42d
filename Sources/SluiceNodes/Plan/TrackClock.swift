public import SluiceCore

/// A stretch of a source on which its clock runs on; where it restarts or wraps a new one begins.
///
/// Which one a packet belongs to is told by its place in the file, because the same stamp may occur in several.
public struct ClockEpoch: Sendable, Hashable {
    /// Byte offset from which it holds.
    public var position: Int64
    /// Source ticks added to its stamps, so that the title's time runs on.
    public var shift: Int64

    public init(position: Int64, shift: Int64) {
        self.position = position
        self.shift = shift
    }
}

/// Places the packets of one stream on the title's output timeline.
///
/// A stamp is decided from itself and its place in the file alone, never from its neighbours, so that any producer gets
/// the same value (docs/seeking.md). Containers that round (Matroska and FLV to a millisecond) get their stamps back on
/// the exact grid of the stream, as long as the stamp lies within the container's rounding of that grid.
public struct TrackClock: Sendable, Hashable {
    /// The exact places where samples of a stream with a constant period lie: `phase + n × period`.
    public struct Grid: Sendable, Hashable {
        /// First source tick, after the epoch's shift, for which it holds; a hole in the stream begins another.
        public var from: Int64
        /// Distance of two samples, in ticks of the track's timescale.
        public var period: Int64
        /// One sample's exact place, in ticks of the track's timescale from the title's origin.
        public var phase: Int64
        /// How far a stamp may lie from its place, in ticks of the track's timescale.
        public var tolerance: Int64

        public init(from: Int64 = .min, period: Int64, phase: Int64, tolerance: Int64) {
            self.from = from
            self.period = max(1, period)
            self.phase = phase
            self.tolerance = max(0, tolerance)
        }

        /// The place nearest to `plain` where that is within the tolerance.
        func exact(_ plain: Int64) -> Int64? {
            let (distance, overflow) = plain.subtractingReportingOverflow(phase)
            guard !overflow else { return nil }
            let exact = phase &+ distance.scaled(by: 1, over: period) &* period
            return abs(exact &- plain) <= tolerance ? exact : nil
        }
    }

    public var source: Timebase
    /// Ticks a second on the output.
    public var timescale: Int32
    /// Source time that is presented at 0.
    public var origin: Timestamp
    /// Ascending by `from`; empty where stamps are exact already, or no constant period is proven.
    public var grids: [Grid]
    /// Ascending by position, without the first stretch, whose shift is 0.
    public var epochs: [ClockEpoch]

    public init(
        source: Timebase, timescale: Int32, origin: Timestamp, grids: [Grid] = [], epochs: [ClockEpoch] = []
    ) {
        self.source = source
        self.timescale = max(1, timescale)
        self.origin = origin
        self.grids = grids
        self.epochs = epochs
    }

    public var timebase: Timebase { Timebase(hertz: timescale) }

    /// The first grid; its period is that of all.
    public var grid: Grid? { grids.first }

    /// Source ticks with the shift of the epoch that holds at `position`; without a position the first epoch holds.
    public func shifted(_ ticks: Int64, position: Int64?) -> Int64 {
        guard !epochs.isEmpty, let position else { return ticks }
        guard let epoch = epochs.last(where: { $0.position <= position }) else { return ticks }
        return ticks &+ epoch.shift
    }

    /// Output ticks of a stamp in source ticks.
    ///
    /// - Parameter position: byte offset of the packet, where the source has several clock epochs.
    public func output(_ ticks: Int64, position: Int64? = nil) -> Int64 {
        let ticks = shifted(ticks, position: position)
        let plain = plainOutput(ticks)
        return gridHolding(at: ticks)?.exact(plain) ?? plain
    }

    /// Source ticks of an output time in the first epoch, for seeks; the nearest.
    public func sourceTicks(of output: Int64) -> Int64 {
        let shift = origin.converted(to: source).ticks
        return output.rescaled(from: timebase, to: source).addingReportingOverflow(shift).partialValue
    }

    private func gridHolding(at ticks: Int64) -> Grid? {
        // Nearly always one.
        guard grids.count > 1 else { return grids.first.flatMap { $0.from <= ticks ? $0 : nil } }
        var (low, high) = (0, grids.count)
        while low < high {
            let middle = (low + high) / 2
            if grids[middle].from <= ticks { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? grids[low - 1] : nil
    }

    /// Without the grid: shifted by the origin and rescaled once, rounding once.
    func plainOutput(_ ticks: Int64) -> Int64 {
        if origin.timebase == source, let quick = quickOutput(ticks) { return quick }
        // Both on a common clock first, so that origins of another stream's time base add no rounding of their own.
        let top =
            Int128(ticks) * Int128(source.numerator) * Int128(origin.timebase.denominator)
            - Int128(origin.ticks) * Int128(origin.timebase.numerator) * Int128(source.denominator)
        let bottom = Int128(source.denominator) * Int128(origin.timebase.denominator)
        let scaled = top * Int128(timescale)
        let division = scaled.quotientAndRemainder(dividingBy: bottom)
        var quotient = division.quotient
        if division.remainder.magnitude * 2 >= bottom.magnitude { quotient += scaled < 0 ? -1 : 1 }
        return Int64(clamping: quotient)
    }

    /// The same in 64 bits, for an origin on the stream's own clock; nil where they do not suffice.
    private func quickOutput(_ ticks: Int64) -> Int64? {
        let (distance, isFar) = ticks.subtractingReportingOverflow(origin.ticks)
        let (counted, isLong) = distance.multipliedReportingOverflow(by: Int64(source.numerator))
        let (scaled, isLarge) = counted.multipliedReportingOverflow(by: Int64(timescale))
        guard !isFar, !isLong, !isLarge else { return nil }
        let bottom = Int64(source.denominator)
        let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: bottom)
        guard remainder.magnitude * 2 >= bottom.magnitude else { return quotient }
        return quotient &+ (scaled < 0 ? -1 : 1)
    }
}
