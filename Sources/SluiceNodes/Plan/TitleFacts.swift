public import SluiceCore

/// What a look at a source established, once. Everything a stage decides at run time comes from here.
public struct TitleFacts: Sendable, Hashable {
    /// FFmpeg's name of the container.
    public var formatName: String
    /// What names the very content of the source; nil where nothing does.
    public var identity: String?
    public var streams: [StreamFormat]
    /// The served picture stream; nil for audio-only titles.
    public var video: StreamID?
    /// Copied audio streams in serving order: `audio-1` is the first.
    public var audio: [StreamID]
    /// Source time that is presented at 0: the first picture, or the first sound where that lies more than 50 ms
    /// before it.
    public var origin: Timestamp
    /// Exact period of the pictures where the cadence is proven constant.
    public var framePeriod: Timebase?
    /// One for each served stream.
    public var clocks: [StreamID: TrackClock]

    public init(formatName: String, streams: [StreamFormat], origin: Timestamp) {
        self.formatName = formatName
        self.streams = streams
        self.origin = origin
        audio = []
        clocks = [:]
    }

    /// Served streams in track order: the picture, then the sound.
    public var served: [StreamID] { (video.map { [$0] } ?? []) + audio }

    /// Streams of the `muxed` shape: the picture and the best sound.
    public var muxed: [StreamID] { (video.map { [$0] } ?? []) + audio.prefix(1) }

    public func format(_ id: StreamID) -> StreamFormat? { streams.first { $0.id == id } }
}
