internal import CFFmpeg
internal import CMediaShim
import Glibc
public import SluiceCore

/// Decodes everything in a short source from a cold start, to find out whether it can be decoded alone. Blocks.
public enum SegmentDecoder {
    /// What decoding one stream gave.
    public struct Outcome: Sendable, Hashable {
        public var stream: StreamID
        public var type: MediaType
        public var codec: CodecName
        public var packets = 0
        public var frames = 0
        /// What the decoder complained about first; nil where it took everything.
        public var problem: String?

        /// Whether something came out and nothing was refused.
        public var isSound: Bool { problem == nil && frames > 0 }
    }

    /// Packets decoded at most.
    static let packetLimit = 1 << 20

    /// - Parameter source: an initialization section with a segment behind it, or any small file.
    /// - Throws: what opening and reading the container throws; `.unsupported` where a decoder is missing.
    public static func decode(_ source: any ByteSource, hint: String? = "segment.mp4") throws(NodeFailure) -> [Outcome]
    {
        var reader = try FormatReader(source: source, hint: hint)
        var outcomes: [Outcome] = []
        var decoders: [DecoderContext?] = []
        for format in reader.streams {
            outcomes.append(Outcome(stream: format.id, type: format.type, codec: format.codec))
            guard format.type == .video || format.type == .audio, format.parked == nil,
                let stream = reader.context.stream(format.id.index)
            else {
                decoders.append(nil)
                continue
            }
            decoders.append(try DecoderContext(stream.pointee.codecpar))
        }
        var total = 0
        while total < packetLimit, var packet = try reader.readPacket() {
            total += 1
            let index = packet.stream.index
            guard decoders.indices.contains(index), let decoder = decoders[index] else { continue }
            outcomes[index].packets += 1
            decoder.send(packet.makeLibraryPacket(), &outcomes[index])
        }
        for index in decoders.indices { decoders[index]?.send(nil, &outcomes[index]) }
        return outcomes.filter { decoders[$0.stream.index] != nil }
    }
}

/// Owns a decoder for the length of one check.
private final class DecoderContext {
    private let raw: UnsafeMutablePointer<AVCodecContext>
    private let frame: UnsafeMutablePointer<AVFrame>

    init(_ parameters: UnsafeMutablePointer<AVCodecParameters>) throws(NodeFailure) {
        let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else {
            throw NodeFailure(.unsupported, "no decoder for \(name)")
        }
        guard let context = avcodec_alloc_context3(codec), let frame = av_frame_alloc() else {
            LibraryError.outOfMemory()
        }
        raw = context
        self.frame = frame
        context.pointee.thread_count = 1
        var code = avcodec_parameters_to_context(context, parameters)
        if code >= 0 { code = avcodec_open2(context, codec, nil) }
        guard code >= 0 else { throw LibraryError.failure(code, "opening the decoder of \(name)") }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = raw
        var frame: UnsafeMutablePointer<AVFrame>? = frame
        av_frame_free(&frame)
        avcodec_free_context(&context)
    }

    /// - Parameter packet: nil drains.
    func send(_ packet: UnsafeMutablePointer<AVPacket>?, _ outcome: inout SegmentDecoder.Outcome) {
        let code = avcodec_send_packet(raw, packet)
        if code < 0, code != shim_averror_eof { note("packet \(outcome.packets)", code, &outcome) }
        while true {
            let code = avcodec_receive_frame(raw, frame)
            if code == shim_averror(EAGAIN) || code == shim_averror_eof { return }
            guard code >= 0 else { return note("frame \(outcome.frames)", code, &outcome) }
            outcome.frames += 1
            if frame.pointee.decode_error_flags != 0, outcome.problem == nil {
                outcome.problem = "frame \(outcome.frames): decoded with errors (\(frame.pointee.decode_error_flags))"
            }
            av_frame_unref(frame)
        }
    }

    private func note(_ place: String, _ code: Int32, _ outcome: inout SegmentDecoder.Outcome) {
        if outcome.problem == nil { outcome.problem = "\(place): \(LibraryError.text(code))" }
    }
}
