import SluiceBitstream
import SluiceCore

/// What initialization sections need of a stream's first unit, where the container's configuration does not say it all.
/// Pure.
enum FirstUnitRule {
    /// Bytes kept of a unit at most.
    static let limit = 32_768
    /// Units of a stream that are looked at before it counts as saying nothing.
    static let attempts = 512

    /// Nil where nothing of the stream's units is needed, or this one does not say it.
    static func head(_ format: StreamFormat, _ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        switch format.codec {
        case "aac", "mp3": return Array(bytes.prefix(16))
        case "ac3": return Array(bytes.prefix(64))
        case "eac3":
            // Frames are skipped by their sizes, so only whole units say how many there are.
            return Array(bytes.prefix(limit))
        case "vp9":
            guard let frame = VP9FrameHeader(bytes), frame.isKeyFrame else { return nil }
            return Array(bytes.prefix(64))
        case "av1": return openUnits(bytes)
        case "h264":
            return messages(bytes, format, opens: { H264UnitType(header: $0) == .idr }) {
                H264UnitType(header: $0) == .sei
            }
        case "hevc":
            return messages(bytes, format, opens: { HEVCUnitType(header: $0).isIRAP }) {
                [.prefixSEI, .suffixSEI, .dolbyRPU].contains(HEVCUnitType(header: $0))
            }
        default: return nil
        }
    }

    /// Bytes that no unit of these sounds has.
    private static let largestUnit = 32_768

    /// Whether a unit of sound does not begin as those of its coding do on transport streams.
    ///
    /// - Note: ETSI TS 102 366 §4.4.1 (0B77); ISO/IEC 13818-7 §6.2 (ADTS).
    static func isForeign(_ bytes: UnsafeRawBufferPointer, to codec: CodecName) -> Bool {
        guard bytes.count > 1 else { return false }
        // Parsers gather what they do not understand.
        guard bytes.count <= largestUnit else { return ["ac3", "eac3", "mp3", "aac"].contains(codec) }
        return switch codec {
        case "ac3", "eac3": bytes[0] != 0x0B || bytes[1] != 0x77
        case "mp3", "aac": bytes[0] != 0xFF && bytes[0] != 0x56
        default: false
        }
    }

    static func applies(to format: StreamFormat) -> Bool {
        ["aac", "mp3", "ac3", "eac3", "vp9", "av1", "h264", "hevc"].contains(format.codec)
    }

    /// Bytes of a unit that have to be there: RPUs come behind the slices.
    static func reach(_ format: StreamFormat) -> Int {
        format.codec == "hevc" || format.codec == "h264" ? 8 << 20 : limit
    }

    /// The sequence header and the metadata of a temporal unit; nil without a sequence header.
    private static func openUnits(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var kept: [UInt8] = []
        var hasHeader = false
        for unit in OBUs(bytes) where unit.type == .sequenceHeader || unit.type == .metadata {
            // A header that is too long is kept all the same, as far as it goes.
            guard kept.isEmpty || kept.count + unit.range.count <= limit else { break }
            kept += bytes[unit.range].prefix(limit)
            if unit.type == .sequenceHeader { hasHeader = true }
        }
        return hasHeader ? kept : nil
    }

    /// The messages of a picture at which decoding can begin, behind lengths of four bytes; nil for other pictures.
    private static func messages(
        _ bytes: UnsafeRawBufferPointer, _ format: StreamFormat, opens: (UInt8) -> Bool, keep: (UInt8) -> Bool
    ) -> [UInt8]? {
        guard let framing = NALFraming.measure(bytes, lengthSize: lengthSize(format)) else { return nil }
        var kept: [UInt8] = []
        var isOpening = false
        for unit in framing.units(of: bytes) {
            let first = bytes[unit.lowerBound]
            if opens(first) { isOpening = true }
            guard keep(first), kept.count + 4 + unit.count <= limit else { continue }
            kept += NALFraming.lengthPrefixed(4).lead(unit.count)
            kept += bytes[unit]
        }
        return isOpening ? kept : nil
    }

    /// Bytes of a unit's length, as the configuration declares it.
    static func lengthSize(_ format: StreamFormat) -> Int {
        let size =
            format.codec == "h264"
            ? (try? AVCConfigurationRecord(format.extradata))?.lengthSize
            : (try? HEVCConfigurationRecord(format.extradata))?.lengthSize
        return size ?? 4
    }
}
