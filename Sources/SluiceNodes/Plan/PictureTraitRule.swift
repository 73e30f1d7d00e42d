import SluiceBitstream
public import SluiceCore

/// Tells what pictures are from their container, their parameter sets and the messages of the first one. Pure.
///
/// - Note: behaviours DM-24, DC-02, RO-01; ITU-T H.264 §D.2.26 (frame packing arrangement).
public enum PictureTraitRule {
    /// - Parameter facts: nil before the source was planned; then only what the container says counts.
    /// - Returns: in the order of ``PictureTrait``.
    public static func traits(_ format: StreamFormat, facts: TitleFacts? = nil) -> [PictureTrait] {
        guard format.type == .video else { return [] }
        let record = facts?.versions.first?.configuration ?? format.extradata
        var found: Set<PictureTrait> = []
        switch format.codec {
        case "h264": found = h264(format, record, facts)
        case "hevc": found = hevc(format, record)
        case "av1": if isBeyondMain(format.video?.pixelFormat) { found.insert(.highAV1) }
        case "vp9": if chroma(format.video?.pixelFormat) != 1 { found.insert(.highVP9) }
        default: break
        }
        if isFramePacked(format, facts?.firstUnits[format.id] ?? []) { found.insert(.framePacked) }
        if let facts, facts.video == format.id, facts.framePeriod == nil, let peak = facts.peakPeriod,
            let declared = format.video?.framePeriod, isFaster(peak, than: declared)
        {
            found.insert(.variableRate)
        }
        return PictureTrait.allCases.filter(found.contains)
    }

    private static func h264(_ format: StreamFormat, _ record: [UInt8], _ facts: TitleFacts?) -> Set<PictureTrait> {
        var found: Set<PictureTrait> = []
        let sequence = ParameterSetRule.sets(record, codec: .h264)
            .first { H264UnitType(header: $0.first ?? 0) == .sps }.flatMap { H264SequenceParameters($0) }
        let isPaired = facts.map { $0.video == format.id && $0.joinsPackets } ?? false
        let isFrameOnly = sequence?.isFrameOnly ?? true
        switch format.video?.interlaced {
        case true?: found.insert(.fields)
        case false? where !isPaired: if !isFrameOnly { found.insert(.segmentedFrames) }
        default: if isPaired || !isFrameOnly { found.insert(.fields) }
        }
        let layout = format.video?.pixelFormat
        if sequence.map({ max($0.bitDepthLuma, $0.bitDepthChroma) > 8 }) ?? (depth(layout) > 8) {
            found.insert(.deepH264)
        }
        if (sequence?.chromaFormat ?? chroma(layout)) > 1 { found.insert(.fullChromaH264) }
        if ["block_lr", "block_rl"].contains(format.video?.stereoMode) { found.insert(.bothViews) }
        return found
    }

    private static func hevc(_ format: StreamFormat, _ record: [UInt8]) -> Set<PictureTrait> {
        var found: Set<PictureTrait> = []
        let sets = ParameterSetRule.sets(record, codec: .hevc)
        let sequence = sets.first { HEVCUnitType(header: $0.first ?? 0) == .sps }.flatMap { HEVCSequenceParameters($0) }
        let isWide = sequence.map { $0.chromaFormat > 1 || max($0.bitDepthLuma, $0.bitDepthChroma) > 10 }
        if isWide ?? isBeyondMain(format.video?.pixelFormat) { found.insert(.rangeHEVC) }
        if let video = sets.first(where: { HEVCUnitType(header: $0.first ?? 0) == .vps }), layers(video) > 1 {
            found.insert(.layeredViews)
        }
        return found
    }

    /// Layers that a video parameter set allows.
    ///
    /// - Note: ITU-T H.265 §7.3.2.1 (`vps_max_layers_minus1`).
    private static func layers(_ set: [UInt8]) -> Int {
        guard set.count > 3 else { return 1 }
        return 1 + Int(set[2] & 3) << 4 + Int(set[3] >> 4)
    }

    /// - Parameter first: messages of the first picture, behind lengths of four bytes.
    private static func isFramePacked(_ format: StreamFormat, _ first: [UInt8]) -> Bool {
        if ["left_right", "right_left", "top_bottom", "bottom_top"].contains(format.video?.stereoMode) { return true }
        // AVStereo3D begins with its type; 1 to 6 put both views into a frame.
        let packed = format.sideData.first { $0.kind == .stereo3D }?.bytes
        if let packed, let type = packed.first, (1...6).contains(type), packed.count >= 4 { return true }
        let isHEVC = format.codec == "hevc"
        guard isHEVC || format.codec == "h264" else { return false }
        return first.withUnsafeBytes { bytes in
            NALFraming.lengthPrefixed(4).units(of: bytes).contains { unit in
                let header = bytes[unit.lowerBound]
                let isMessage =
                    isHEVC ? HEVCUnitType(header: header) == .prefixSEI : H264UnitType(header: header) == .sei
                guard isMessage else { return false }
                return SEIMessage.list(UnsafeRawBufferPointer(rebasing: bytes[unit]), headerLength: isHEVC ? 2 : 1)
                    .contains(where: \.isFramePacking)
            }
        }
    }

    private static func isFaster(_ one: Timebase, than other: Timebase) -> Bool {
        // By a fifth: holes alone are no variable rate.
        Int64(one.numerator) * Int64(other.denominator) * 6 < Int64(other.numerator) * Int64(one.denominator) * 5
    }

    // MARK: - Sample layouts, by FFmpeg's names

    private static func isBeyondMain(_ layout: String?) -> Bool { chroma(layout) > 1 || depth(layout) > 10 }

    /// As `chroma_format_idc`; 1 where nothing is known.
    private static func chroma(_ layout: String?) -> Int {
        guard let layout else { return 1 }
        if layout.hasPrefix("gbr") || layout.contains("444") { return 3 }
        return layout.contains("422") || layout.contains("440") ? 2 : 1
    }

    /// Bits of a sample: `yuv420p10le`; 8 where nothing is known.
    private static func depth(_ layout: String?) -> Int {
        guard let layout, let mark = layout.lastIndex(of: "p") else { return 8 }
        return Int(layout[layout.index(after: mark)...].prefix { $0.isNumber }) ?? 8
    }
}
