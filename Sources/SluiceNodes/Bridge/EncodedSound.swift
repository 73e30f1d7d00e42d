public import SluiceAV
public import SluiceBitstream
public import SluiceCore

/// What an encoder says of what it will make, before it has made any of a title.
public struct EncodedSound: Sendable, Hashable {
    public var settings: AudioEncoderSettings
    /// From the encoder's configuration, or from a first frame of silence where frames say it all.
    public var entry: AudioSampleEntry
    /// Samples of a frame.
    public var frameSize: Int
    /// Samples by which what is coded lags what is fed.
    public var padding: Int

    /// Samples of a second.
    public var timescale: Int32 { Int32(clamping: settings.sampleRate) }
    public var timebase: Timebase { Timebase(hertz: timescale) }

    private static let known = Locked<[AudioEncoderSettings: EncodedSound]>([:])
    private static let limit = 256

    /// Opens an encoder, or remembers what one said: equal settings give equal answers.
    ///
    /// - Throws: `.unsupported` where the library has no such encoder, `.invalidOption` where it refuses the settings.
    public static func look(_ settings: AudioEncoderSettings) throws(NodeFailure) -> EncodedSound {
        if let sound = known.withLock({ $0[settings] }) { return sound }
        var encoder = try AudioEncoder(settings)
        let sound = EncodedSound(
            settings: settings, entry: try entry(&encoder, settings), frameSize: encoder.frameSize,
            padding: encoder.padding)
        known.withLock { known in
            if known.count >= limit { known = [:] }
            known[settings] = sound
        }
        return sound
    }

    private static func entry(
        _ encoder: inout AudioEncoder, _ settings: AudioEncoderSettings
    ) throws(NodeFailure) -> AudioSampleEntry {
        let channels = AudioCodecs.channels(of: settings.layout).count
        switch settings.codec {
        case "flac":
            guard let info = FLACStreamInfo(encoder.configuration) else { break }
            return AudioSampleEntry(
                codec: .flac(info.bytes), sampleRate: info.sampleRate, channels: info.channels,
                bitsPerSample: info.bitsPerSample)
        case "aac":
            guard let config = AudioSpecificConfig(encoder.configuration) else { break }
            return AudioSampleEntry(
                codec: .mp4a(encoder.configuration), sampleRate: config.sampleRate,
                channels: config.channels ?? channels)
        case "eac3":
            let first = try silentFrame(&encoder, settings)
            guard let config = EAC3Configuration(first), let frame = EAC3Frame(first) else { break }
            return AudioSampleEntry(codec: .eac3(config.bytes), sampleRate: frame.sampleRate, channels: config.channels)
        default: break
        }
        throw NodeFailure(
            .unsupported, "\(settings.codec) in \(settings.layout): the encoder does not say what it makes")
    }

    private static func silentFrame(
        _ encoder: inout AudioEncoder, _ settings: AudioEncoderSettings
    ) throws(NodeFailure) -> [UInt8] {
        var queue = try SampleQueue(
            stream: StreamID(0), sampleRate: settings.sampleRate, layout: settings.layout,
            sampleFormat: settings.sampleFormat)
        try queue.appendSilence(encoder.frameSize)
        try encoder.send(try queue.take(encoder.frameSize, at: 0))
        return try encoder.receive()?.bytes ?? []
    }
}

/// One sound of a title that is decoded and encoded anew, and how its rendition is called.
public struct BridgedSound: Sendable, Hashable {
    public var stream: StreamID
    public var codec: BridgeCodec
    public var encoded: EncodedSound
    /// `audio-2-eac3`.
    public var rendition: String
    /// Added to the sound's time.
    public var delay: Duration

    public init(
        stream: StreamID, codec: BridgeCodec, encoded: EncodedSound, rendition: String, delay: Duration = .zero
    ) {
        self.stream = stream
        self.codec = codec
        self.encoded = encoded
        self.rendition = rendition
        self.delay = delay
    }
}
