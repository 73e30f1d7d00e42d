public import SluiceCore

/// The segments of a title, known before any of them is made. Immutable.
public struct TitlePlan: Sendable, Hashable {
    /// What the plan was made from.
    public enum Basis: String, Sendable, Hashable {
        /// MP4 sample tables: complete at open.
        case sampleTables
        /// The container's index: starts are exact, bytes and picture kinds are not known.
        case index
        /// Every packet was looked at.
        case scan
    }

    /// How segment starts were chosen: part of what makes two plans the same.
    public struct Shape: Sendable, Hashable {
        public var target: Duration
        public var minimum: Duration

        public init(target: Duration, minimum: Duration) {
            self.target = target
            self.minimum = minimum
        }
    }

    public var basis: Basis
    /// Ticks a second of all times below: the picture track's timescale, or the first audio track's.
    public var timescale: Int32
    public var segments: [PlannedSegment]
    /// End of the last segment, in ticks.
    public var end: Int64
    /// The plan came from an index alone: what the pictures are has not been looked at.
    public var isProvisional: Bool

    public init(basis: Basis, timescale: Int32, segments: [PlannedSegment], end: Int64, isProvisional: Bool) {
        self.basis = basis
        self.timescale = timescale
        self.segments = segments
        self.end = end
        self.isProvisional = isProvisional
    }

    public var timebase: Timebase { Timebase(hertz: timescale) }

    public func start(_ index: Int) -> Timestamp { Timestamp(segments[index].start, timebase) }

    /// Ticks from the start of segment `index` to the next one's, or to the end.
    public func length(_ index: Int) -> Int64 {
        let next = index + 1 < segments.count ? segments[index + 1].start : end
        return max(1, next - segments[index].start)
    }

    public func duration(_ index: Int) -> Duration {
        .nanoseconds(length(index).rescaled(from: timebase, to: .nanoseconds))
    }

    /// The last segment that begins long enough before segment `index` for whoever has to hear what comes before that.
    func early(_ index: Int) -> Int {
        let lead = Int64(timescale) &* Self.bridgeLead
        var early = max(0, index - 1)
        while early > 0, segments[early].start > segments[index].start &- lead { early -= 1 }
        return early
    }

    /// Seconds: a decoder's preroll, and what sound and pictures lie apart in a file.
    private static let bridgeLead: Int64 = 2

    /// The segment that holds an output time; before the first start it is 0, after the end the last.
    public func index(at time: Timestamp) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if start(middle) <= time { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
