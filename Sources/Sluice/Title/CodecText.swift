import SluiceBitstream
import SluiceCore

/// The CODECS entry of a copied stream, from its configuration record.
///
/// - Note: RFC 6381 §3.3.
enum CodecText {
    static func text(_ format: StreamFormat) throws(NodeFailure) -> String {
        switch format.codec {
        case "h264":
            guard format.extradata.count >= 4, format.extradata[0] == 1 else { break }
            return "avc1." + format.extradata[1...3].map(hex).joined()
        case "aac":
            // The first five bits of the AudioSpecificConfig are the object type.
            guard let first = format.extradata.first, first >> 3 != 31 else { break }
            return "mp4a.40.\(first >> 3)"
        default: break
        }
        throw NodeFailure(
            .unsupported, "stream \(format.id.index) (\(format.codec)) has no configuration to name it by in CODECS")
    }

    private static func hex(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0" + text : text
    }
}
