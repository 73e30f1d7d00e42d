public import SluiceBitstream
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
    /// Distance of the pictures where they come fastest; nil where nobody has looked.
    public var peakPeriod: Timebase?
    /// One for each served stream.
    public var clocks: [StreamID: TrackClock]
    /// How NAL units are told apart in the samples of a stream; nil for codecs without them.
    public var framings: [StreamID: NALFraming] = [:]
    /// Configurations of the picture stream in order of first use; a segment's `version` counts in them. Empty where
    /// nobody has looked: then the container's own holds throughout.
    public var versions: [ParameterVersion] = []
    /// What the first unit of a stream says that its configuration does not: a frame header, an access unit, a sequence
    /// header.
    public var firstUnits: [StreamID: [UInt8]] = [:]
    /// First start and last end of each served stream, in ticks of its clock's timescale.
    public var spans: [StreamID: StreamSpan] = [:]
    /// Ticks at the start of a sound track that a decoder makes and a player must not play, in titles without pictures.
    /// Titles with pictures drop whole frames instead.
    public var primings: [StreamID: Int64] = [:]
    /// Ticks of the last sample of a sound where less of it is heard than it lasts, in titles without pictures.
    public var tails: [StreamID: Int64] = [:]
    /// Pictures by which presentation lags decoding at most.
    public var reorderDepth = 0
    /// The container's marks of random access points are wrong: the pictures themselves are looked at.
    public var ignoresKeyFlags = false
    /// Where the times of the pictures come from.
    public var pictureStamps = PictureStamps.container
    /// Several packets make one picture (fields, frames that are not shown): the pictures themselves are looked at.
    public var joinsPackets = false
    /// The sound of the `muxed` shape where that is not the first one. Chosen for a client, not found in the source.
    package var muxedSound: StreamID?
    /// What becomes of Dolby Vision. Chosen for a client, not found in the source.
    package var dolbyVision = DolbyVisionHandling.auto
    /// Sounds that are encoded anew. Chosen for a client, not found in the source.
    package var bridges: [StreamID: BridgedSound] = [:]
    /// Text files beside the source. Found beside it, not in it.
    package var sidecars: [SubtitleTrack] = []
    /// The stream that carries the RPUs of the pictures where that is another one.
    public var enhancement: StreamID?
    /// Tags, chapters and attached files.
    public var about = TitleAbout()
    /// Stretches of a transport stream whose program has other streams each; empty where they are the same throughout.
    package var pieces: [SourcePiece] = []
    /// The configuration that ``within(piece:)`` begins with. Not kept.
    var leading = 0
    /// Pictures to which neither the container nor their order gives a presentation time.
    public var unplacedPictures = 0

    public init(formatName: String, streams: [StreamFormat], origin: Timestamp) {
        self.formatName = formatName
        self.streams = streams
        self.origin = origin
        audio = []
        clocks = [:]
    }

    /// Whether pictures stand on a ladder, so that their slices are looked at to place them.
    var hasLadder: Bool {
        if case .ladder = pictureStamps { true } else { false }
    }

    /// Served streams in track order: the picture, then the sound.
    public var served: [StreamID] { (video.map { [$0] } ?? []) + audio }

    /// Streams that a producer reads: the served ones, and what is joined to them.
    var read: [StreamID] { served + (enhancement.map { [$0] } ?? []) }

    /// Streams of the `muxed` shape: the picture and one sound, the first unless another was chosen.
    public var muxed: [StreamID] { [video, muxedSound ?? audio.first].compactMap { $0 } }

    /// Output time before which nothing of a stream is served: sound that begins before the title, pictures for which
    /// there is nothing to decode them from.
    public func floor(_ id: StreamID) -> Int64 { spans[id]?.start ?? 0 }

    public func format(_ id: StreamID) -> StreamFormat? { streams.first { $0.id == id } }
}

/// A configuration of the picture stream: what an initialization section is made from.
public struct ParameterVersion: Sendable, Hashable {
    /// avcC or hvcC record where it could be built, else what the container carries.
    public var configuration: [UInt8]
    /// Coded size in luma samples; 0 where unknown.
    public var width: Int
    public var height: Int
    /// Number of the piece of the source that it belongs to.
    package var piece = 0

    public init(configuration: [UInt8], width: Int, height: Int) {
        self.configuration = configuration
        self.width = width
        self.height = height
    }
}

/// Where a stream lies on its output clock.
public struct StreamSpan: Sendable, Hashable {
    public var start: Int64
    public var end: Int64

    public init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }
}
