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

/// One segment of a plan.
public struct PlannedSegment: Sendable, Hashable {
    /// Presentation time of the opening picture, in ticks of the plan.
    public var start: Int64
    /// Smallest presentation time in the segment (a leading picture's in an open group), which is its first decode
    /// time; nil where nobody has looked yet.
    public var decodeStart: Int64?
    /// Where a producer that begins with this segment starts to read.
    public var anchor: ReadAnchor

    public init(start: Int64, decodeStart: Int64? = nil, anchor: ReadAnchor) {
        self.start = start
        self.decodeStart = decodeStart
        self.anchor = anchor
    }
}

/// A place to which the demuxer can be moved, before everything a segment needs.
public enum ReadAnchor: Sendable, Hashable {
    /// The first packet.
    case head
    /// On the index axis of a stream, in its source ticks.
    case index(stream: StreamID, ticks: Int64)
    /// A byte offset, for containers whose own seeks are guesses.
    case byte(Int64)
}
