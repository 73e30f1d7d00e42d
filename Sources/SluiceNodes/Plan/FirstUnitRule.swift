import SluiceBitstream
import SluiceCore

/// What initialization sections need of a stream's first unit, where the container's configuration does not say it all.
/// Pure.
enum FirstUnitRule {
    /// Bytes kept of a unit at most.
    static let limit = 32_768

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
        case "av1":
            for unit in OBUs(bytes) where unit.type == .sequenceHeader { return Array(bytes[unit.range].prefix(limit)) }
            return nil
        default: return nil
        }
    }

    static func applies(to format: StreamFormat) -> Bool {
        ["aac", "mp3", "ac3", "eac3", "vp9", "av1"].contains(format.codec)
    }
}
