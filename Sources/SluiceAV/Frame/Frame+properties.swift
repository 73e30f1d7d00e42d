internal import CFFmpeg
internal import CMediaShim
public import SluiceCore

extension Frame {
    public var stream: StreamID { storage.stream }
    public var timebase: Timebase { storage.clock.timebase }

    /// When the picture or the first sample is presented, in ticks; nil where unknown.
    public var presentationTicks: Int64? {
        let ticks = storage.raw.pointee.pts
        return ticks == shim_nopts ? nil : ticks
    }

    public var presentationTime: Timestamp? { presentationTicks.map { Timestamp($0, timebase) } }

    /// In ticks; 0 where unknown.
    public var durationTicks: Int64 { max(0, shim_frame_duration(storage.raw)) }

    /// Planes, side data and about 512 bytes of structure.
    public var byteCost: Int { storage.cost }
    public var timelinePosition: Int64? { storage.position }

    /// Whether the frame holds a picture; otherwise it holds samples.
    public var isVideo: Bool { storage.raw.pointee.width > 0 }

    public var width: Int { Int(storage.raw.pointee.width) }
    public var height: Int { Int(storage.raw.pointee.height) }

    /// FFmpeg's name of a picture's sample layout; nil for sound.
    public var pixelFormat: String? {
        guard isVideo, let name = av_get_pix_fmt_name(AVPixelFormat(storage.raw.pointee.format)) else { return nil }
        return String(cString: name)
    }

    public var isKeyframe: Bool { shim_frame_is_key(storage.raw) != 0 }
    public var isInterlaced: Bool { shim_frame_is_interlaced(storage.raw) != 0 }
    public var isTopFieldFirst: Bool { shim_frame_is_top_field_first(storage.raw) != 0 }

    /// Width of a sample divided by its height; nil where undeclared.
    public var sampleAspect: Timebase? { Timebase(storage.raw.pointee.sample_aspect_ratio) }

    /// ISO/IEC 23091-2 code points; 2 where unspecified.
    public var colorPrimaries: Int { Int(storage.raw.pointee.color_primaries.rawValue) }
    public var colorTransfer: Int { Int(storage.raw.pointee.color_trc.rawValue) }
    public var colorMatrix: Int { Int(storage.raw.pointee.colorspace.rawValue) }
    public var isFullRange: Bool { storage.raw.pointee.color_range == AVCOL_RANGE_JPEG }

    /// Samples a channel; 0 for pictures.
    public var sampleCount: Int { Int(max(0, storage.raw.pointee.nb_samples)) }
    /// Hertz; 0 for pictures.
    public var sampleRate: Int { Int(max(0, storage.raw.pointee.sample_rate)) }
    public var channels: Int { Int(max(0, storage.raw.pointee.ch_layout.nb_channels)) }

    /// FFmpeg's description of the channel layout; nil for pictures.
    public var channelLayout: String? {
        isVideo ? nil : ChannelLayout.describe(&storage.raw.pointee.ch_layout)
    }

    /// FFmpeg's name of a sample's type; nil for pictures.
    public var sampleFormat: String? {
        guard !isVideo, let name = av_get_sample_fmt_name(AVSampleFormat(storage.raw.pointee.format)) else {
            return nil
        }
        return String(cString: name)
    }

    public mutating func setPresentationTicks(_ ticks: Int64?) {
        makeUnique()
        storage.raw.pointee.pts = ticks ?? shim_nopts
        storage.position = ticks.map(storage.clock.nanoseconds)
    }

    /// Negative values count as 0, unknown.
    public mutating func setDurationTicks(_ ticks: Int64) {
        makeUnique()
        shim_frame_set_duration(storage.raw, max(0, ticks))
    }

    public mutating func setInterlaced(_ isInterlaced: Bool, topFieldFirst: Bool) {
        makeUnique()
        shim_frame_set_interlaced(storage.raw, isInterlaced ? 1 : 0, topFieldFirst ? 1 : 0)
    }
}

extension Frame {
    /// Planes that hold samples: 1 for packed layouts, one a channel for planar sound.
    public var planeCount: Int {
        let raw = storage.raw.pointee
        if isVideo { return max(0, Int(av_pix_fmt_count_planes(AVPixelFormat(raw.format)))) }
        return av_sample_fmt_is_planar(AVSampleFormat(raw.format)) != 0 ? channels : min(1, channels)
    }

    /// Bytes from one row of a plane to the next; for sound, the size of every plane. 0 where there is no such plane.
    public func bytesPerRow(ofPlane index: Int) -> Int {
        guard (0..<planeCount).contains(index) else { return 0 }
        let offset = isVideo ? index : 0
        return withUnsafeBytes(of: storage.raw.pointee.linesize) { bytes in
            let sizes = bytes.bindMemory(to: Int32.self)
            return sizes.indices.contains(offset) ? Int(sizes[offset]) : 0
        }
    }

    /// Rows a plane holds: less than the height for subsampled chroma, 1 for sound.
    public func rowCount(ofPlane index: Int) -> Int {
        guard (0..<planeCount).contains(index) else { return 0 }
        guard isVideo else { return 1 }
        guard index == 1 || index == 2,
            let layout = av_pix_fmt_desc_get(AVPixelFormat(storage.raw.pointee.format))
        else { return height }
        let shift = Int(layout.pointee.log2_chroma_h)
        return (height + (1 << shift) - 1) >> shift
    }

    /// One plane in place; empty where there is no such plane or where its rows run upward.
    public func withUnsafePlane<Result>(
        _ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(storage) {
            let (data, count) = plane(index)
            return try body(UnsafeRawBufferPointer(start: data, count: count))
        }
    }

    /// Changes one plane in place, copying the frame's planes first where another frame shares them.
    public mutating func withUnsafeMutablePlane<Result>(
        _ index: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        makeUnique()
        guard av_frame_make_writable(storage.raw) >= 0 else { LibraryError.outOfMemory() }
        return try withExtendedLifetime(storage) {
            let (data, count) = plane(index)
            return try body(UnsafeMutableRawBufferPointer(start: data, count: count))
        }
    }

    private func plane(_ index: Int) -> (UnsafeMutablePointer<UInt8>?, Int) {
        let rowBytes = bytesPerRow(ofPlane: index)
        guard rowBytes > 0, let planes = storage.raw.pointee.extended_data, let data = planes[index] else {
            return (nil, 0)
        }
        return (data, rowBytes * rowCount(ofPlane: index))
    }
}
