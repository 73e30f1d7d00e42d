internal import CFFmpeg
internal import CMediaShim
import Glibc
package import SluiceCore

/// Makes PNG files.
package enum PNGEncoder {
    /// - Parameter pixels: red, green, blue, alpha; `width × height × 4` bytes.
    /// - Throws: `.invalidOption` for a size that the pixels do not have; what the encoder throws.
    package static func encode(_ pixels: [UInt8], width: Int, height: Int) throws(NodeFailure) -> [UInt8] {
        guard width > 0, height > 0, width <= 16_384, height <= 16_384, pixels.count == width * height * 4 else {
            throw NodeFailure(.invalidOption, "\(pixels.count) bytes for a picture of \(width)x\(height)")
        }
        guard let codec = avcodec_find_encoder(AV_CODEC_ID_PNG) else {
            throw NodeFailure(.unsupported, "libavcodec has no encoder for PNG")
        }
        guard let context = avcodec_alloc_context3(codec), let frame = av_frame_alloc(), let packet = av_packet_alloc()
        else { LibraryError.outOfMemory() }
        defer {
            var (context, frame, packet):
                (
                    UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVFrame>?,
                    UnsafeMutablePointer<AVPacket>?
                ) = (context, frame, packet)
            av_packet_free(&packet)
            av_frame_free(&frame)
            avcodec_free_context(&context)
        }
        context.pointee.width = Int32(width)
        context.pointee.height = Int32(height)
        context.pointee.pix_fmt = AV_PIX_FMT_RGBA
        context.pointee.time_base = shim_rational(1, 1)
        context.pointee.thread_count = 1
        try check(avcodec_open2(context, codec, nil))
        frame.pointee.format = AV_PIX_FMT_RGBA.rawValue
        frame.pointee.width = Int32(width)
        frame.pointee.height = Int32(height)
        try check(av_frame_get_buffer(frame, 0))
        guard let plane = frame.pointee.data.0 else { LibraryError.outOfMemory() }
        let stride = Int(frame.pointee.linesize.0)
        pixels.withUnsafeBufferPointer { source in
            guard let base = source.baseAddress else { return }
            for y in 0..<height { (plane + y * stride).update(from: base + y * width * 4, count: width * 4) }
        }
        try check(avcodec_send_frame(context, frame))
        try check(avcodec_receive_packet(context, packet))
        return Array(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    }

    private static func check(_ code: Int32) throws(NodeFailure) {
        guard code >= 0 else { throw LibraryError.failure(code, "writing a PNG") }
    }
}
