/// Everything a node needs to know about a stream before its first packet.
public struct StreamFormat: Sendable, Hashable {
    public var id: StreamID
    public var type: MediaType
    public var codec: CodecName
    /// Four-character or numeric code the container used, little-endian as FFmpeg keeps it; 0 where it has none.
    public var codecTag: UInt32 = 0
    public var timebase: Timebase
    /// Codec configuration as the container carries it (avcC, hvcC, AudioSpecificConfig, …).
    public var extradata: [UInt8] = []
    /// Profile and level as FFmpeg numbers them; nil where unknown.
    public var profile: Int?
    public var level: Int?
    /// Bits a second as declared or measured; nil where unknown.
    public var bitRate: Int?
    /// First presentation time, in ticks of `timebase`; nil where unknown.
    public var startTicks: Int64?
    /// Length, in ticks of `timebase`; nil where unknown.
    public var durationTicks: Int64?
    public var video: VideoFormat?
    public var audio: AudioFormat?
    public var disposition: Disposition = []
    /// As the container writes it, lower-cased: `eng`, `pt-br`; nil where absent or `und`.
    public var language: String?
    public var title: String?
    /// What the container says beside the configuration, in its order.
    public var sideData: [SideData] = []
    /// Why the stream is listed but not read; nil where its packets flow.
    public var parked: ParkedReason?
    /// The container's own number of the stream: track, program identifier; 0 where it has none.
    public var containerNumber = 0
    /// The coded units are encrypted: they can be copied, but nobody could play them.
    public var isEncrypted = false

    public init(id: StreamID, type: MediaType, codec: CodecName, timebase: Timebase) {
        self.id = id
        self.type = type
        self.codec = codec
        self.timebase = timebase
    }
}

/// Why a listed stream is left out of the packet line.
public enum ParkedReason: String, Sendable, Hashable {
    /// No decoder in this build can even establish its parameters (AC-4, MPEG-H).
    case undecodable
    /// A picture or font that has no timeline.
    case attachment
    /// The demuxer's `streams` option left it out.
    case notSelected
}

public struct VideoFormat: Sendable, Hashable {
    /// Coded size in luma samples.
    public var width: Int
    public var height: Int
    /// Width of a sample divided by its height; nil where undeclared.
    public var sampleAspect: Timebase?
    /// Pictures a second, as a period; nil where unknown or variable.
    public var framePeriod: Timebase?
    /// Pictures by which presentation lags decoding at most.
    public var reorderDepth: Int = 0
    /// ISO/IEC 23091-2 code points; 2 where unspecified.
    public var colorPrimaries: Int = 2
    public var colorTransfer: Int = 2
    public var colorMatrix: Int = 2
    public var fullRange: Bool = false
    /// FFmpeg's name of the sample layout (`yuv420p10le`); nil where unknown.
    public var pixelFormat: String?
    public var interlaced: Bool?
    /// Degrees, clockwise, by which a player turns the picture: 0, 90, 180 or 270 in practice.
    public var rotation: Int = 0
    public var dolbyVision: DolbyVisionConfiguration?
    /// How Matroska says that two views are held: `left_right`, `block_lr`, …; nil where it does not.
    public var stereoMode: String?
    public var masteringDisplay: MasteringDisplay?
    public var lightLevel: ContentLightLevel?

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

public struct AudioFormat: Sendable, Hashable {
    /// Hertz; 0 where unknown.
    public var sampleRate: Int
    public var channels: Int
    /// FFmpeg's description of the layout (`5.1(side)`); nil where unspecified.
    public var layout: String?
    /// Samples a packet holds, per channel; nil where it varies or is unknown.
    public var frameSize: Int?
    /// Samples at the start that a decoder produces and a player must drop.
    public var priming: Int = 0
    /// FFmpeg's name of the sample layout (`fltp`); nil where unknown.
    public var sampleFormat: String?
    /// Bits of a coded sample, where the codec has the notion.
    public var bitsPerSample: Int?
    /// Bytes of a block of coded samples; 0 where the codec does not have the notion.
    public var blockAlign: Int = 0
    /// Bits of a sample as the container declares them; 0 where it does not.
    public var codedBits: Int = 0

    public init(sampleRate: Int, channels: Int) {
        self.sampleRate = sampleRate
        self.channels = channels
    }
}

/// What a container says a stream is for.
public struct Disposition: OptionSet, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let isDefault = Disposition(rawValue: 1 << 0)
    public static let forced = Disposition(rawValue: 1 << 1)
    public static let commentary = Disposition(rawValue: 1 << 2)
    public static let hearingImpaired = Disposition(rawValue: 1 << 3)
    public static let visualImpaired = Disposition(rawValue: 1 << 4)
    public static let attachedPicture = Disposition(rawValue: 1 << 5)
    public static let original = Disposition(rawValue: 1 << 6)
    public static let dub = Disposition(rawValue: 1 << 7)
    public static let captions = Disposition(rawValue: 1 << 8)
}
