import SluiceBitstream
import SluiceCore

extension TrackFactory {
    static func picture(
        _ facts: TitleFacts, _ format: StreamFormat, version: Int
    ) throws(NodeFailure) -> VideoSampleEntry {
        var entry = try codedEntry(facts, format, version: version)
        guard let video = format.video else { return entry }
        if let aspect = video.sampleAspect, aspect.numerator > 0 {
            entry.sampleAspect = SampleAspect(width: UInt32(aspect.numerator), height: UInt32(aspect.denominator))
        }
        let signal = signal(facts, format, entry)
        entry.color = signal.color
        entry.mastering = signal.mastering
        entry.contentLight = signal.contentLight
        entry.dolbyVision = dolbyVision(facts, format, entry, signal)?.record
        // IPT has no code points; what is left unsaid, players take for BT.709.
        if entry.dolbyVision?.compatibility == 0, entry.color == nil {
            entry.color = ColorDescription(primaries: 9, transfer: PictureSignal.perceptual, matrix: 9)
        }
        return entry
    }

    /// What the coded pictures say of themselves.
    static func codedEntry(
        _ facts: TitleFacts, _ format: StreamFormat, version: Int
    ) throws(NodeFailure) -> VideoSampleEntry {
        let held = facts.versions.indices.contains(version) ? facts.versions[version] : nil
        let record = held?.configuration ?? format.extradata
        return switch format.codec {
        case "h264": try avc(format, record)
        case "hevc": try hevc(format, record)
        case "av1": try av1(facts, format, record)
        case "vp9": try vp9(facts, format)
        default: throw refused(format, "pictures in H.264, HEVC, AV1 or VP9")
        }
    }

    /// The record is built anew from its parameter sets: containers carry ones that disagree with them, and samples
    /// always get lengths of four bytes.
    private static func avc(_ format: StreamFormat, _ bytes: [UInt8]) throws(NodeFailure) -> VideoSampleEntry {
        var (sequences, pictures, extensions): ([[UInt8]], [[UInt8]], [[UInt8]]) = ([], [], [])
        if let record = try? AVCConfigurationRecord(bytes) {
            (sequences, pictures, extensions) = (record.sequenceSets, record.pictureSets, record.sequenceExtensions)
        } else {
            for set in ParameterSetRule.sets(bytes, codec: .h264) {
                switch H264UnitType(header: set.first ?? 0) {
                case .sps: sequences.append(set)
                case .pps: pictures.append(set)
                default: extensions.append(set)
                }
            }
        }
        guard
            let record = AVCConfigurationRecord(
                sequenceSets: sequences, pictureSets: pictures, sequenceExtensions: extensions),
            let sequence = record.sequence
        else { throw refused(format, "a sequence and a picture parameter set before the first picture") }
        guard sequence.width > 0, sequence.height > 0 else { throw refused(format, "a picture size") }
        var entry = VideoSampleEntry(codec: .avc(record.bytes), width: sequence.width, height: sequence.height)
        entry.color = sequence.usability?.color
        if let aspect = sequence.usability?.sampleAspect { entry.sampleAspect = aspect }
        return entry
    }

    private static func hevc(_ format: StreamFormat, _ bytes: [UInt8]) throws(NodeFailure) -> VideoSampleEntry {
        let sets = ParameterSetRule.sets(bytes, codec: .hevc)
        guard let built = HEVCConfigurationRecord(parameterSets: sets) else {
            throw refused(format, "video, sequence and picture parameter sets before the first picture")
        }
        var record = built.bytes
        // Containers carry records whose profile and level are not those of the sets inside.
        if let given = try? HEVCConfigurationRecord(bytes), let normal = try? given.normalized(),
            normal.bytes.prefix(13) == record.prefix(13)
        {
            record = normal.bytes
            // Samples always get lengths of four bytes.
            if record.count > 21 { record[21] |= 3 }
        }
        guard let sequence = built.sequence, sequence.width > 0, sequence.height > 0 else {
            throw refused(format, "a sequence parameter set that can be read")
        }
        var entry = VideoSampleEntry(codec: .hevc(record), width: sequence.width, height: sequence.height)
        entry.color = sequence.usability?.color
        if let aspect = sequence.usability?.sampleAspect { entry.sampleAspect = aspect }
        return entry
    }

    private static func av1(
        _ facts: TitleFacts, _ format: StreamFormat, _ bytes: [UInt8]
    ) throws(NodeFailure) -> VideoSampleEntry {
        func header(_ bytes: [UInt8], from offset: Int) -> AV1SequenceHeader? {
            bytes.withUnsafeBytes { all in
                offset < all.count
                    ? AV1SequenceHeader(temporalUnit: UnsafeRawBufferPointer(rebasing: all[offset...])) : nil
            }
        }
        let isRecord = bytes.count >= 4 && bytes[0] == 0x81
        let first = facts.firstUnits[format.id] ?? []
        guard let sequence = header(first, from: 0) ?? (isRecord ? header(bytes, from: 4) : header(bytes, from: 0))
        else {
            throw refused(format, "a sequence header")
        }
        var record = sequence.configuration(configUnits: sequenceUnit(first))
        if isRecord, bytes.count > 4, header(bytes, from: 4) == sequence {
            // Only where the record's own fields agree with the header behind them.
            record = bytes[1..<3] == record[1..<3] ? bytes : Array(record.prefix(4)) + bytes[4...]
        }
        var entry = VideoSampleEntry(codec: .av1(record), width: sequence.width, height: sequence.height)
        entry.color = sequence.color
        return entry
    }

    /// The sequence header unit of a temporal unit, as it is.
    private static func sequenceUnit(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { all in
            for unit in OBUs(all) where unit.type == .sequenceHeader { return Array(all[unit.range]) }
            return []
        }
    }

    private static func vp9(_ facts: TitleFacts, _ format: StreamFormat) throws(NodeFailure) -> VideoSampleEntry {
        guard let first = facts.firstUnits[format.id], let frame = first.withUnsafeBytes({ VP9FrameHeader($0) }),
            frame.isKeyFrame, frame.width > 0
        else { throw refused(format, "a key frame at the start") }
        let period = facts.framePeriod ?? format.video?.framePeriod
        let rate = period.map { Double($0.denominator) / Double(max(1, $0.numerator)) }
        let color = PictureSignal(format, coded: nil, first: []).color
        var entry = VideoSampleEntry(
            codec: .vp9(frame.configuration(color: color, framesPerSecond: rate)), width: frame.width,
            height: frame.height)
        entry.color = color
        return entry
    }
}
