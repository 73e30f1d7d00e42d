/// An in-band message: it travels between payloads and keeps its place among them.
public enum StreamEvent: Sendable, Hashable {
    /// All streams of the source, in container order. Sticky: sent first in every epoch.
    case streams([StreamFormat])
    /// One stream's configuration from here on. Sticky.
    case format(StreamFormat)
    /// Payloads after this map to output time `start`. Sticky.
    case segment(TimelineSegment)
    /// Predictors must be reset; not a flush. Becomes a playlist tag when it reaches the publisher.
    case discontinuity(DiscontinuityReason)
    /// A sparse stream is alive but has nothing between the two times.
    case gap(stream: StreamID, from: Timestamp, to: Timestamp)
    /// The next payload of one stream opens segment `index`.
    case boundary(SegmentBoundary)
    /// Drain and forward, but stay alive: a seek may follow.
    case endOfStream(EndReason)

    /// Whether the event is part of the state that every epoch must begin with.
    public var isSticky: Bool {
        switch self {
        case .streams, .format, .segment: true
        case .discontinuity, .gap, .boundary, .endOfStream: false
        }
    }

    public var name: String {
        switch self {
        case .streams: "streams"
        case .format: "format"
        case .segment: "segment"
        case .discontinuity: "discontinuity"
        case .gap: "gap"
        case .boundary: "boundary"
        case .endOfStream: "endOfStream"
        }
    }
}

/// A mapping from the payloads' time to output time ("segment" alone always means a media file).
///
/// Behind a node that places payloads on the output timeline the two are the same, and so are the two members.
public struct TimelineSegment: Sendable, Hashable {
    /// Output time of the first payload.
    public var start: Timestamp
    /// Time of the payloads that maps to `start`.
    public var sourceStart: Timestamp
    public init(start: Timestamp, sourceStart: Timestamp) {
        self.start = start
        self.sourceStart = sourceStart
    }

    /// Where a payload at `position` lies on the output timeline; nanoseconds, saturating.
    public func output(_ position: Int64) -> Int64 {
        Int64(clamping: Int128(position) - Int128(sourceStart.nanoseconds) + Int128(start.nanoseconds))
    }
}

public enum DiscontinuityReason: String, Sendable, Hashable {
    case formatChange, timestampJump, sourceSwitch, dataLoss
}

/// A segment of the plan begins here, for one stream: streams are interleaved, so each crosses a boundary at its own
/// place on the line.
public struct SegmentBoundary: Sendable, Hashable {
    public var stream: StreamID
    /// Number of the segment in the plan, from 0.
    public var index: Int
    /// Presentation time of the opening picture, on the output timeline.
    public var start: Timestamp
    /// Length of the segment as the plan states it.
    public var duration: Duration
    public init(stream: StreamID, index: Int, start: Timestamp, duration: Duration) {
        self.stream = stream
        self.index = index
        self.start = start
        self.duration = duration
    }
}

public enum EndReason: Sendable, Hashable {
    /// The source has no more.
    case sourceEnded
    /// The runner asked for an end (drain).
    case finished
    /// The source broke off; what was produced stays valid.
    case truncated(String)
}
