import SluiceBitstream
import SluiceCore

/// AV1 units of any bytes follow each other without a hole; frame headers are read or refused.
enum OpenUnitProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        _ = CodecString.av1(bytes)
        _ = CodecString.vp9(bytes)
        return bytes.withUnsafeBytes { buffer in
            var units = OBUs(buffer)
            var end = 0
            while let unit = units.next() {
                if unit.range.lowerBound != end || unit.range.upperBound > bytes.count || unit.range.isEmpty
                    || unit.payload.upperBound != unit.range.upperBound
                    || unit.payload.lowerBound <= unit.range.lowerBound
                {
                    return "a unit at \(unit.range) with payload \(unit.payload) after \(end)"
                }
                end = unit.range.upperBound
            }
            if units.isExact != (end == bytes.count) { return "exact is \(units.isExact) at \(end) of \(bytes.count)" }
            _ = OBUs.isKeyFrame(buffer)
            for header in [AV1SequenceHeader(buffer), AV1SequenceHeader(temporalUnit: buffer)].compactMap(\.self) {
                if header.width < 1 || header.height < 1 { return "a picture of \(header.width)x\(header.height)" }
                if CodecString.av1(header.configuration(configUnits: [])).isEmpty { return "no codec string" }
            }
            if let frame = VP9FrameHeader(buffer), frame.isKeyFrame {
                if frame.width < 1 || frame.height < 1 { return "a picture of \(frame.width)x\(frame.height)" }
                if frame.configuration().count != 8 { return "vpcC of \(frame.configuration().count) bytes" }
            }
            return nil
        }
    }
}
