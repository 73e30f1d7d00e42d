internal import CFFmpeg
internal import CMediaShim
package import SluiceCore

/// What a packet of a bitmap subtitle stream puts on the screen.
package struct BitmapDisplay: Sendable, Hashable {
    /// Milliseconds on the timeline of the packets.
    package var start: Int64
    /// Milliseconds that it is shown; nil until something else comes.
    package var duration: Int64?
    /// Empty where the screen is cleared.
    package var objects: [BitmapObject]
    /// Pixels of the plane that places count in; 0 where the stream does not say.
    package var width: Int
    package var height: Int

    package init(start: Int64, duration: Int64?, objects: [BitmapObject], width: Int, height: Int) {
        self.start = start
        self.duration = duration
        self.objects = objects
        self.width = width
        self.height = height
    }
}

/// A cropped picture of a display.
package struct BitmapObject: Sendable, Hashable {
    /// Pixels from the plane's top left.
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int
    /// Four bytes a pixel, not multiplied with the last one, alpha.
    package var pixels: [UInt8]
    package var isForced: Bool

    package init(x: Int, y: Int, width: Int, height: Int, pixels: [UInt8], isForced: Bool) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.pixels = pixels
        self.isForced = isForced
    }
}

/// Decodes PGS, DVB, DVD and XSUB subtitles to pixels. Belongs to one thread.
package final class BitmapDecoder {
    /// Codecs that it takes.
    package static let codecs: Set<CodecName> = ["hdmv_pgs_subtitle", "dvb_subtitle", "dvd_subtitle", "xsub"]
    /// Objects of one display, and pixels of one object.
    private static let objectLimit = 64
    private static let pixelLimit = 4_096 * 4_096

    private let raw: UnsafeMutablePointer<AVCodecContext>
    /// Maps colours before they become pixels.
    private let convert: (UInt32) -> UInt32

    /// - Parameter convert: of `0xAARRGGBB`.
    /// - Throws: `.unsupported` for other codecs.
    package init(_ format: StreamFormat, convert: @escaping (UInt32) -> UInt32 = { $0 }) throws(NodeFailure) {
        guard Self.codecs.contains(format.codec), let named = avcodec_descriptor_get_by_name(format.codec.rawValue),
            let codec = avcodec_find_decoder(named.pointee.id)
        else { throw NodeFailure(.unsupported, "no decoder for subtitles of codec \(format.codec)") }
        guard let context = avcodec_alloc_context3(codec) else { LibraryError.outOfMemory() }
        raw = context
        self.convert = convert
        context.pointee.thread_count = 1
        context.pointee.pkt_timebase = shim_rational(1, 1_000)
        if !format.extradata.isEmpty {
            let padding = Int(AV_INPUT_BUFFER_PADDING_SIZE)
            guard let memory = av_mallocz(format.extradata.count + padding) else { LibraryError.outOfMemory() }
            memory.copyMemory(from: format.extradata, byteCount: format.extradata.count)
            context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
            context.pointee.extradata_size = Int32(clamping: format.extradata.count)
        }
        let code = avcodec_open2(context, codec, nil)
        guard code >= 0 else { throw LibraryError.failure(code, "opening the decoder of \(format.codec)") }
    }

    deinit {
        var context: UnsafeMutablePointer<AVCodecContext>? = raw
        avcodec_free_context(&context)
    }

    /// - Parameter time: milliseconds.
    /// - Returns: nil for a packet that shows nothing new; an empty display for one that clears the screen.
    package func decode(_ bytes: [UInt8], at time: Int64) -> BitmapDisplay? {
        guard !bytes.isEmpty, bytes.count <= 16 << 20 else { return nil }
        guard let packet = av_packet_alloc() else { LibraryError.outOfMemory() }
        defer {
            var freed: UnsafeMutablePointer<AVPacket>? = packet
            av_packet_free(&freed)
        }
        guard av_new_packet(packet, Int32(bytes.count)) >= 0 else { LibraryError.outOfMemory() }
        packet.pointee.data.update(from: bytes, count: bytes.count)
        packet.pointee.pts = time
        var subtitle = AVSubtitle()
        var isComplete: Int32 = 0
        let code = avcodec_decode_subtitle2(raw, &subtitle, &isComplete, packet)
        defer { avsubtitle_free(&subtitle) }
        guard code >= 0, isComplete != 0 else { return nil }
        var objects: [BitmapObject] = []
        for index in 0..<min(Int(subtitle.num_rects), Self.objectLimit) {
            guard let rect = subtitle.rects?[index]?.pointee, let object = object(rect) else { continue }
            objects.append(object)
        }
        let (first, last) = (Int64(subtitle.start_display_time), Int64(subtitle.end_display_time))
        let isOpen = last == Int64(UInt32.max) || last <= first
        // Where pieces of a display come in packets of their own, the first one's time counts.
        let base = subtitle.pts == shim_nopts ? time : subtitle.pts / 1_000
        return BitmapDisplay(
            start: base + (first == Int64(UInt32.max) ? 0 : first), duration: isOpen ? nil : last - first,
            objects: objects,
            width: Int(max(0, raw.pointee.width)), height: Int(max(0, raw.pointee.height)))
    }

    private func object(_ rect: AVSubtitleRect) -> BitmapObject? {
        let (width, height) = (Int(rect.w), Int(rect.h))
        guard rect.type == SUBTITLE_BITMAP, width > 0, height > 0, width <= Self.pixelLimit / height,
            let indexes = rect.data.0, let entries = rect.data.1, Int(rect.linesize.0) >= width
        else { return nil }
        let count = min(256, max(0, Int(rect.nb_colors)))
        var palette = [UInt32](repeating: 0, count: 256)
        entries.withMemoryRebound(to: UInt32.self, capacity: 256) { colors in
            for index in 0..<count { palette[index] = convert(colors[index]) }
        }
        let stride = Int(rect.linesize.0)
        var (left, right, top, bottom) = (width, -1, height, -1)
        for y in 0..<height {
            let line = indexes + y * stride
            for x in 0..<width where palette[Int(line[x])] >> 24 != 0 {
                (left, right, top, bottom) = (min(left, x), max(right, x), min(top, y), y)
            }
        }
        guard right >= left else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity((right - left + 1) * (bottom - top + 1) * 4)
        for y in top...bottom {
            let line = indexes + y * stride
            for x in left...right {
                let color = palette[Int(line[x])]
                pixels.append(UInt8(truncatingIfNeeded: color >> 16))
                pixels.append(UInt8(truncatingIfNeeded: color >> 8))
                pixels.append(UInt8(truncatingIfNeeded: color))
                pixels.append(UInt8(truncatingIfNeeded: color >> 24))
            }
        }
        return BitmapObject(
            x: Int(rect.x) + left, y: Int(rect.y) + top, width: right - left + 1, height: bottom - top + 1,
            pixels: pixels, isForced: rect.flags & AV_SUBTITLE_FLAG_FORCED != 0)
    }
}
