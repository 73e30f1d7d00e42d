internal import CFFmpeg
internal import CMediaShim
import Glibc
public import SluiceCore

/// A decoder of one sound. Every call runs on the caller's thread and may take a while.
///
/// Samples that a container says to skip are handed out like all others: where they lie in time is the caller's business,
/// and stamps stay those of the packets.
public struct AudioDecoder: ~Copyable {
    private let raw: UnsafeMutablePointer<AVCodecContext>
    private let stream: StreamID
    private let clock: TimelineClock

    /// - Parameter timebase: of the packets that will be sent, and of the frames that come.
    /// - Throws: `.unsupported` where the library has no decoder, `.malformedInput` where it refuses the configuration.
    public init(_ format: StreamFormat, timebase: Timebase) throws(NodeFailure) {
        raw = try Self.open(format, timebase)
        stream = format.id
        clock = TimelineClock(timebase)
    }

    private static func open(
        _ format: StreamFormat, _ timebase: Timebase
    ) throws(NodeFailure) -> UnsafeMutablePointer<AVCodecContext> {
        guard let codec = AudioCodecs.decoder(format.codec) else {
            throw NodeFailure(.unsupported, "stream \(format.id.index): no decoder for \(format.codec)")
        }
        guard let context = avcodec_alloc_context3(codec) else { LibraryError.outOfMemory() }
        context.pointee.thread_count = 1
        context.pointee.pkt_timebase = timebase.rational
        context.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL
        context.pointee.codec_tag = format.codecTag
        if let profile = format.profile { context.pointee.profile = Int32(clamping: profile) }
        if let rate = format.bitRate { context.pointee.bit_rate = Int64(rate) }
        if let audio = format.audio { describe(audio, context) }
        setExtradata(format.extradata, context)
        var options: OpaquePointer?
        // Noise that stands in for what was not coded comes from the frame itself, and not from a counter.
        if format.codec == "ac3" || format.codec == "eac3" { av_dict_set(&options, "cons_noisegen", "1", 0) }
        let code = avcodec_open2(context, codec, &options)
        av_dict_free(&options)
        guard code >= 0 else {
            var failed: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&failed)
            throw LibraryError.failure(code, "stream \(format.id.index): opening the decoder of \(format.codec)")
        }
        return context
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = raw
        avcodec_free_context(&context)
    }

    /// Takes a packet, or nil for the end; whatever it makes is received before the next one is sent.
    ///
    /// - Throws: `.malformedInput` for a packet that cannot be decoded; the decoder goes on with the next.
    public mutating func send(_ packet: Packet?) throws(NodeFailure) {
        let code: Int32
        if var packet {
            code = avcodec_send_packet(raw, packet.makeLibraryPacket())
        } else {
            code = avcodec_send_packet(raw, nil)
        }
        guard code >= 0 || code == shim_averror_eof else {
            throw LibraryError.failure(code, "stream \(stream.index): a packet was not decoded")
        }
    }

    /// The next run of samples; nil where the decoder wants more, or has come to its end.
    ///
    /// - Throws: `.malformedInput` where what was sent cannot be decoded.
    public mutating func receive() throws(NodeFailure) -> Frame? {
        guard let frame = av_frame_alloc() else { LibraryError.outOfMemory() }
        var owned: UnsafeMutablePointer<AVFrame>? = frame
        let code = avcodec_receive_frame(raw, frame)
        guard code >= 0 else {
            av_frame_free(&owned)
            if code == shim_averror(EAGAIN) || code == shim_averror_eof { return nil }
            throw LibraryError.failure(code, "stream \(stream.index): a packet was not decoded")
        }
        guard frame.pointee.nb_samples > 0, frame.pointee.sample_rate > 0, frame.pointee.ch_layout.nb_channels > 0,
            frame.pointee.extended_data?[0] != nil
        else {
            av_frame_free(&owned)
            throw NodeFailure(.malformedInput, "stream \(stream.index): the decoder gave a frame without samples")
        }
        return Frame(adopting: frame, stream: stream, clock: clock)
    }

    private static func describe(_ audio: AudioFormat, _ context: UnsafeMutablePointer<AVCodecContext>) {
        context.pointee.sample_rate = Int32(clamping: audio.sampleRate)
        context.pointee.block_align = Int32(clamping: audio.blockAlign)
        context.pointee.bits_per_coded_sample = Int32(clamping: audio.codedBits)
        if let size = audio.frameSize { context.pointee.frame_size = Int32(clamping: size) }
        // Channels without names stay without: only their number is known.
        if !ChannelLayout.set(&context.pointee.ch_layout, audio.layout, channels: 0), (1...64).contains(audio.channels)
        {
            context.pointee.ch_layout.order = AV_CHANNEL_ORDER_UNSPEC
            context.pointee.ch_layout.nb_channels = Int32(audio.channels)
        }
    }

    private static func setExtradata(_ bytes: [UInt8], _ context: UnsafeMutablePointer<AVCodecContext>) {
        guard !bytes.isEmpty, bytes.count < 1 << 28 else { return }
        let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
        guard let memory = av_mallocz(bytes.count + padding) else { LibraryError.outOfMemory() }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        context.pointee.extradata_size = Int32(bytes.count)
    }
}
