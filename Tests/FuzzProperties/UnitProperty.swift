import SluiceBitstream
import SluiceCore

/// NAL units of any bytes lie one after the other inside them, and what is made of them holds the same units.
enum UnitProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        for framing in [NALFraming.annexB, .lengthPrefixed(1), .lengthPrefixed(2), .lengthPrefixed(4)] {
            let units = bytes.withUnsafeBytes { framing.units(of: $0) }
            var end = 0
            for unit in units {
                if unit.isEmpty || unit.lowerBound < end || unit.upperBound > bytes.count {
                    return "\(framing): a unit at \(unit) after \(end) of \(bytes.count) bytes"
                }
                end = unit.upperBound
            }
            if let broken = reframed(bytes, framing, units) { return "\(framing): \(broken)" }
            bytes.withUnsafeBytes { buffer in
                _ = RandomAccess.h264(buffer, framing: framing)
                _ = RandomAccess.hevc(buffer, framing: framing)
            }
            look(units.prefix(64).map { Array(bytes[$0]) })
        }
        return nil
    }

    /// Four-byte lengths before the same units.
    private static func reframed(_ bytes: [UInt8], _ framing: NALFraming, _ units: [Range<Int>]) -> String? {
        let sample = ByteChunk(bytes).lengthPrefixed(from: framing).joined()
        return sample.withUnsafeBytes { buffer in
            if !sample.isEmpty, !LengthPrefixedUnits.fills(buffer) {
                return "units with lengths do not fill the sample"
            }
            let again = Array(LengthPrefixedUnits(buffer))
            let isSame =
                again.count == units.count && zip(again, units).allSatisfy { sample[$0].elementsEqual(bytes[$1]) }
            return isSame ? nil : "\(again.count) of \(units.count) units came through"
        }
    }

    /// Parameter sets and the slices that name them.
    private static func look(_ units: [[UInt8]]) {
        let avc = units.compactMap { H264SequenceParameters($0) }.first
        let avcPicture = units.compactMap { H264PictureParameters($0) }.first
        let hevc = units.compactMap { HEVCSequenceParameters($0) }.first
        let hevcPicture = units.compactMap { HEVCPictureParameters($0) }.first
        for unit in units {
            unit.withUnsafeBytes { buffer in
                _ = H264SliceHeader.pictureParametersID(buffer)
                _ = HEVCSliceHeader.pictureParametersID(buffer)
                if let avc, let avcPicture { _ = H264SliceHeader(buffer, sequence: avc, picture: avcPicture) }
                if let hevc, let hevcPicture { _ = HEVCSliceHeader(buffer, sequence: hevc, picture: hevcPicture) }
            }
        }
        if let record = HEVCConfigurationRecord(parameterSets: units) { _ = CodecString.hevc(record.bytes) }
        let sequences = units.filter { H264UnitType(header: $0[0]).rawValue == 7 }
        let pictures = units.filter { H264UnitType(header: $0[0]).rawValue == 8 }
        if let record = AVCConfigurationRecord(sequenceSets: sequences, pictureSets: pictures) {
            _ = CodecString.avc(record.bytes)
        }
    }
}
