internal import CFFmpeg
internal import CMediaShim
import SluiceCore

extension VideoFormat {
    init(
        _ context: FormatContext, _ stream: UnsafeMutablePointer<AVStream>, _ parameters: AVCodecParameters,
        _ sideData: [SideData]
    ) {
        self.init(width: Int(parameters.width), height: Int(parameters.height))
        sampleAspect = Timebase(av_guess_sample_aspect_ratio(context.raw, stream, nil))
        let rate = av_guess_frame_rate(context.raw, stream, nil)
        framePeriod = Self.reduced(rate.den, rate.num)
        reorderDepth = Int(max(0, parameters.video_delay))
        colorPrimaries = Int(parameters.color_primaries.rawValue)
        colorTransfer = Int(parameters.color_trc.rawValue)
        colorMatrix = Int(parameters.color_space.rawValue)
        fullRange = parameters.color_range == AVCOL_RANGE_JPEG
        pixelFormat = av_get_pix_fmt_name(AVPixelFormat(parameters.format)).map { String(cString: $0) }
        switch parameters.field_order {
        case AV_FIELD_UNKNOWN: interlaced = nil
        case AV_FIELD_PROGRESSIVE: interlaced = false
        default: interlaced = true
        }
        for entry in sideData {
            switch entry.kind {
            case .displayMatrix: rotation = Self.rotation(entry.bytes)
            case .dolbyVisionConfiguration: dolbyVision = DolbyVisionConfiguration(entry.bytes)
            case .masteringDisplay: masteringDisplay = MasteringDisplay(entry.bytes)
            case .contentLightLevel: lightLevel = ContentLightLevel(entry.bytes)
            default: break
            }
        }
    }

    private static func reduced(_ numerator: Int32, _ denominator: Int32) -> Timebase? {
        guard numerator > 0, denominator > 0 else { return nil }
        var top: Int32 = 0
        var bottom: Int32 = 0
        av_reduce(&top, &bottom, Int64(numerator), Int64(denominator), Int64(Int32.max))
        return Timebase(top, bottom)
    }

    /// The matrix describes a counter-clockwise turn in degrees.
    private static func rotation(_ matrix: [UInt8]) -> Int {
        guard let angle: Double = matrix.withLibraryStructure(count: 9, { av_display_rotation_get($0) }),
            angle.isFinite
        else { return 0 }
        let clockwise = Int((-angle).rounded()) % 360
        return clockwise < 0 ? clockwise + 360 : clockwise
    }
}

extension DolbyVisionConfiguration {
    init?(_ bytes: [UInt8]) {
        let record: AVDOVIDecoderConfigurationRecord? = bytes.withLibraryStructure(count: 1) { $0.pointee }
        guard let record else { return nil }
        self.init(
            profile: Int(record.dv_profile), level: Int(record.dv_level), hasMetadata: record.rpu_present_flag != 0,
            hasEnhancementLayer: record.el_present_flag != 0, hasBaseLayer: record.bl_present_flag != 0,
            compatibility: Int(record.dv_bl_signal_compatibility_id))
    }
}

extension MasteringDisplay {
    /// Nil where the structure lacks the primaries or the luminances.
    init?(_ bytes: [UInt8]) {
        let value: AVMasteringDisplayMetadata? = bytes.withLibraryStructure(count: 1) { $0.pointee }
        guard let value, value.has_primaries != 0, value.has_luminance != 0 else { return nil }
        func steps(_ fraction: AVRational, per one: Int64) -> Int64 {
            guard fraction.den > 0 else { return 0 }
            return Int64(fraction.num).scaled(by: one, over: Int64(fraction.den))
        }
        func point(_ x: AVRational, _ y: AVRational) -> Point {
            Point(x: UInt16(clamping: steps(x, per: 50_000)), y: UInt16(clamping: steps(y, per: 50_000)))
        }
        let primaries = value.display_primaries
        self.init(
            red: point(primaries.0.0, primaries.0.1), green: point(primaries.1.0, primaries.1.1),
            blue: point(primaries.2.0, primaries.2.1), white: point(value.white_point.0, value.white_point.1),
            maximumLuminance: UInt32(clamping: steps(value.max_luminance, per: 10_000)),
            minimumLuminance: UInt32(clamping: steps(value.min_luminance, per: 10_000)))
    }
}

extension ContentLightLevel {
    init?(_ bytes: [UInt8]) {
        let value: AVContentLightMetadata? = bytes.withLibraryStructure(count: 1) { $0.pointee }
        guard let value else { return nil }
        self.init(maximumContent: Int(value.MaxCLL), maximumFrameAverage: Int(value.MaxFALL))
    }
}

extension [UInt8] {
    /// The bytes as `count` structures the library laid out; nil where they are too few.
    fileprivate func withLibraryStructure<Structure, Result>(
        count: Int, _ body: (UnsafePointer<Structure>) -> Result
    ) -> Result? {
        guard self.count >= MemoryLayout<Structure>.stride * count else { return nil }
        return withUnsafeTemporaryAllocation(of: Structure.self, capacity: count) { copy in
            guard let base = copy.baseAddress else { return nil }
            let raw = UnsafeMutableRawBufferPointer(copy)
            raw.copyBytes(from: self.prefix(raw.count))
            return body(UnsafePointer(base))
        }
    }
}
