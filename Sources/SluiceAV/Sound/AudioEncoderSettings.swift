public import SluiceCore

/// What an encoder makes, and of what.
public struct AudioEncoderSettings: Sendable, Hashable {
    /// FFmpeg's name: `eac3`, `flac`, `aac`.
    public var codec: CodecName
    /// Hertz.
    public var sampleRate: Int
    /// FFmpeg's name of the channel layout: `5.1(side)`.
    public var layout: String
    /// FFmpeg's name of the layout of samples that it is fed: `fltp`, `s16`, `s32`.
    public var sampleFormat: String
    /// Bits of a sample that count; 0 where the codec does not have the notion.
    public var bitsPerSample = 0
    /// Bits a second; 0 for codecs that lose nothing.
    public var bitRate = 0
    /// Samples of a frame, where the encoder leaves the choice; nil takes its own.
    public var frameSize: Int?

    public init(codec: CodecName, sampleRate: Int, layout: String, sampleFormat: String) {
        self.codec = codec
        self.sampleRate = sampleRate
        self.layout = layout
        self.sampleFormat = sampleFormat
    }
}
