import SluiceBitstream
import SluiceCore

/// Parameter sets and configuration records of any bytes are read or refused.
enum ParameterProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        _ = H264SequenceParameters(bytes)
        _ = H264PictureParameters(bytes)
        _ = try? AVCConfigurationRecord(bytes)
        _ = try? HEVCConfigurationRecord(bytes)
        return bytes.withUnsafeBytes { buffer in
            guard let framing = NALFraming.measure(buffer) else { return nil }
            for unit in framing.units(of: buffer) where unit.lowerBound < 0 || unit.upperBound > buffer.count {
                return "a unit at \(unit) of \(buffer.count) bytes"
            }
            return nil
        }
    }
}
