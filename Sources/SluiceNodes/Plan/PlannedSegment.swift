public import SluiceCore

/// One segment of a plan.
public struct PlannedSegment: Sendable, Hashable {
    /// Presentation time of the opening picture, in ticks of the plan.
    public var start: Int64
    /// Smallest presentation time in the segment (a leading picture's in an open group), which is its first decode
    /// time; nil where nobody has looked yet.
    public var decodeStart: Int64?
    /// Where a producer that begins with this segment starts to read.
    public var anchor: ReadAnchor
    /// What the opening picture is; nil where nobody has looked, and in audio-only titles.
    public var kind: PictureKind?
    /// Whether everything in the segment can be decoded from its opening picture on; nil where nobody has looked.
    public var isClosed: Bool?
    /// Number of the configuration in the facts.
    public var version = 0
    /// Decoders must be reset here: another configuration begins.
    public var isDiscontinuous = false
    /// What each served stream has in the segment, in the order of `TitleFacts.served`; empty where nobody has looked.
    public var tracks: [PlannedTrack] = []

    public init(start: Int64, decodeStart: Int64? = nil, anchor: ReadAnchor) {
        self.start = start
        self.decodeStart = decodeStart
        self.anchor = anchor
    }
}

/// What one stream has in one segment.
public struct PlannedTrack: Sendable, Hashable {
    /// Smallest presentation time, in ticks of the track's timescale; nil where the segment has none of the stream.
    public var start: Int64?
    /// Largest presentation end, in ticks of the track's timescale.
    public var end: Int64?
    /// Bytes of the samples as the source carries them.
    public var bytes: Int64 = 0
    public var samples = 0

    public init() {}
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
