internal import CFFmpeg
internal import CMediaShim
import Glibc
public import SluiceCore

/// An encoder of one sound. Every call runs on the caller's thread and may take a while.
///
/// After its end it is of no more use: most encoders cannot be set back.
public struct AudioEncoder: ~Copyable {
    private let raw: UnsafeMutablePointer<AVCodecContext>
    private let stream: StreamID
    private let clock: TimelineClock

    /// - Throws: `.unsupported` where the library has no such encoder, `.invalidOption` where it does not take the settings.
    public init(_ settings: AudioEncoderSettings, stream: StreamID = StreamID(0)) throws(NodeFailure) {
        raw = try Self.open(settings)
        self.stream = stream
        clock = TimelineClock(Timebase(hertz: Int32(clamping: settings.sampleRate)))
    }

    private static func open(
        _ settings: AudioEncoderSettings
    ) throws(NodeFailure) -> UnsafeMutablePointer<AVCodecContext> {
        let format = av_get_sample_fmt(settings.sampleFormat)
        guard format != AV_SAMPLE_FMT_NONE, let rate = Int32(exactly: settings.sampleRate), rate > 0 else {
            throw NodeFailure(
                .invalidOption, "\(settings.codec): samples '\(settings.sampleFormat)' at \(settings.sampleRate) Hz")
        }
        guard let codec = AudioCodecs.encoder(settings.codec) else {
            throw NodeFailure(
                .unsupported,
                "libavcodec \(LibraryVersions.current.libraries.first { $0.name == "libavcodec" }?.loaded.description ?? "") has no encoder for \(settings.codec)"
            )
        }
        guard let context = avcodec_alloc_context3(codec) else { LibraryError.outOfMemory() }
        context.pointee.thread_count = 1
        context.pointee.sample_fmt = format
        context.pointee.sample_rate = rate
        context.pointee.time_base = Timebase(hertz: rate).rational
        context.pointee.bit_rate = Int64(max(0, settings.bitRate))
        context.pointee.bits_per_raw_sample = Int32(clamping: settings.bitsPerSample)
        if let size = settings.frameSize { context.pointee.frame_size = Int32(clamping: size) }
        // Without it the first frame names the library's version.
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT | AV_CODEC_FLAG_GLOBAL_HEADER
        let isKnown = ChannelLayout.set(&context.pointee.ch_layout, settings.layout, channels: 0)
        let code = isKnown ? avcodec_open2(context, codec, nil) : 0
        guard isKnown, code >= 0 else {
            var failed: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&failed)
            guard isKnown else { throw NodeFailure(.invalidOption, "'\(settings.layout)' is no channel layout") }
            throw LibraryError.failure(
                code, "opening the encoder of \(settings.codec) for \(settings.layout) at \(rate) Hz",
                otherwise: .invalidOption)
        }
        return context
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = raw
        avcodec_free_context(&context)
    }

    /// Samples of every frame it is sent, per channel; at least 1.
    public var frameSize: Int { max(1, Int(raw.pointee.frame_size)) }

    /// Samples by which what it codes lags what it is fed.
    public var padding: Int { Int(max(0, raw.pointee.initial_padding)) }

    /// What a decoder must know before the first frame; empty where frames say it all.
    public var configuration: [UInt8] {
        guard let data = raw.pointee.extradata else { return [] }
        return Array(UnsafeBufferPointer(start: data, count: Int(max(0, raw.pointee.extradata_size))))
    }

    /// Takes a frame, or nil for the end; whatever it makes is received before the next one is sent.
    ///
    /// - Throws: `.internalInvariant` where the encoder does not take it.
    public mutating func send(_ frame: Frame?) throws(NodeFailure) {
        let code = avcodec_send_frame(raw, frame?.storage.raw)
        guard code >= 0 || code == shim_averror_eof else {
            throw LibraryError.failure(
                code, "stream \(stream.index): \(frame?.sampleCount ?? 0) samples were not encoded",
                otherwise: .internalInvariant)
        }
    }

    /// The next coded frame, stamped with the time of its first sample in samples; nil where the encoder wants more.
    public mutating func receive() throws(NodeFailure) -> Packet? {
        guard let packet = av_packet_alloc() else { LibraryError.outOfMemory() }
        var owned: UnsafeMutablePointer<AVPacket>? = packet
        let code = avcodec_receive_packet(raw, packet)
        guard code >= 0 else {
            av_packet_free(&owned)
            if code == shim_averror(EAGAIN) || code == shim_averror_eof { return nil }
            throw LibraryError.failure(
                code, "stream \(stream.index): nothing was encoded", otherwise: .internalInvariant)
        }
        packet.pointee.stream_index = Int32(clamping: stream.index)
        packet.pointee.flags |= AV_PKT_FLAG_KEY
        return Packet(adopting: packet, clock: clock)
    }
}
