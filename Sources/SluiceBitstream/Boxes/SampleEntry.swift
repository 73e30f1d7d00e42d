public import SluiceCore

/// How the samples of a track are coded: the entry of `stsd`.
public enum SampleEntry: Sendable, Hashable {
    case video(VideoSampleEntry)
    case audio(AudioSampleEntry)

    /// Four-character code of the entry: `avc1`, `mp4a`.
    public var code: FourCC {
        switch self {
        case .video(let entry): entry.code
        case .audio(let entry): entry.code
        }
    }
}

/// A video sample entry.
public struct VideoSampleEntry: Sendable, Hashable {
    /// The codec and the payload of its configuration box, without box header.
    public enum Codec: Sendable, Hashable {
        /// `avcC`: an AVCDecoderConfigurationRecord.
        case avc([UInt8])
        /// `hvcC`: an HEVCDecoderConfigurationRecord; written in normal form (``HEVCConfigurationRecord``).
        case hevc([UInt8])
        /// `av1C`: an AV1CodecConfigurationRecord.
        case av1([UInt8])
        /// `vpcC`: a VPCodecConfigurationRecord, from the profile byte on (version and flags are added).
        case vp9([UInt8])
    }

    public var codec: Codec
    /// Luma samples of the cropped picture.
    public var width: Int
    public var height: Int
    /// Width : height of one sample; 1:1 leaves `pasp` out.
    public var sampleAspect: SampleAspect = .square
    /// Written as `colr` `nclx`; nil leaves the box out.
    public var color: ColorDescription?
    public var mastering: MasteringDisplay?
    public var contentLight: ContentLightLevel?
    /// Written as `dvcC` or `dvvC`; a record without a base layer gives the entry its code, too.
    public var dolbyVision: DolbyVisionConfiguration?

    public init(codec: Codec, width: Int, height: Int) {
        self.codec = codec
        self.width = width
        self.height = height
    }

    /// Four-character code of the entry; parameter sets are always in the entry (`avc1`, `hvc1`).
    ///
    /// Pictures that only Dolby Vision decoders can show have `dvh1` and `dav1`.
    public var code: FourCC {
        let isExclusive = dolbyVision?.compatibility == 0
        return switch codec {
        case .avc: "avc1"
        case .hevc: isExclusive ? "dvh1" : "hvc1"
        case .av1: isExclusive ? "dav1" : "av01"
        case .vp9: "vp09"
        }
    }
}

/// An audio sample entry.
public struct AudioSampleEntry: Sendable, Hashable {
    /// The codec and the payload of its configuration box, without box header.
    public enum Codec: Sendable, Hashable {
        /// MPEG-4 audio with its AudioSpecificConfig; written as `esds`.
        case mp4a([UInt8])
        /// MPEG-1 / MPEG-2 layer II or III, named by its object type (0x6B, 0x69).
        case mpeg(objectType: UInt8)
        /// `dac3`.
        case ac3([UInt8])
        /// `dec3`.
        case eac3([UInt8])
        /// STREAMINFO (34 bytes, without block header); written as `dfLa`.
        case flac([UInt8])
        /// ALACSpecificConfig (24 bytes, 48 with a channel layout).
        case alac([UInt8])
        /// `dOps`, as ``OpusConfiguration`` writes it.
        case opus([UInt8])
    }

    public var codec: Codec
    /// Hertz of the coded audio.
    public var sampleRate: Int
    public var channels: Int
    /// Bits of a decoded sample; 16 for codecs without the notion.
    public var bitsPerSample: Int

    public init(codec: Codec, sampleRate: Int, channels: Int, bitsPerSample: Int = 16) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.channels = channels
        self.bitsPerSample = bitsPerSample
    }

    /// Four-character code of the entry.
    public var code: FourCC {
        switch codec {
        case .mp4a, .mpeg: "mp4a"
        case .ac3: "ac-3"
        case .eac3: "ec-3"
        case .flac: "fLaC"
        case .alac: "alac"
        case .opus: "Opus"
        }
    }
}

/// A box whose payload somebody else wrote.
public struct OpaqueBox: Sendable, Hashable {
    public var type: FourCC
    public var payload: [UInt8]

    public init(type: FourCC, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }
}
