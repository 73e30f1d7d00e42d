public import SluiceCore

/// The record as bytes.
///
/// - Note: Dolby Vision Streams Within the ISO Base Media File Format, version 2.6, §3.2.
extension DolbyVisionConfiguration {
    /// Bytes of a record.
    public static let length = 24

    /// Parses a record. Early ones end before the compatibility, which is 0 then; reserved bits are ignored.
    ///
    /// Throws `.malformedInput` below 4 bytes, and `.unsupported` for major versions other than 1 and 2.
    public init(_ record: [UInt8]) throws(NodeFailure) {
        guard record.count >= 4 else {
            throw NodeFailure(
                .malformedInput, "Dolby Vision record of \(record.count) bytes; expected \(Self.length), or 4 at least")
        }
        guard (1...2).contains(record[0]) else {
            throw NodeFailure(.unsupported, "Dolby Vision record of version \(record[0]); expected 1 or 2")
        }
        self.init(
            profile: Int(record[2] >> 1), level: Int(record[2] & 1) << 5 | Int(record[3] >> 3),
            hasMetadata: record[3] & 4 != 0, hasEnhancementLayer: record[3] & 2 != 0,
            hasBaseLayer: record[3] & 1 != 0, compatibility: record.count > 4 ? Int(record[4] >> 4) : 0)
        majorVersion = Int(record[0])
        minorVersion = Int(record[1])
        compression = record.count > 4 ? Int(record[4] >> 2 & 3) : 0
    }

    /// The record; numbers beyond their range are written as the nearest that fits.
    public var bytes: [UInt8] {
        var bits = BitWriter()
        func number(_ value: Int, _ width: Int) { bits.u(UInt32(min(max(value, 0), 1 << width - 1)), width) }
        number(majorVersion, 8)
        number(minorVersion, 8)
        number(profile, 7)
        number(level, 6)
        bits.flag(hasMetadata)
        bits.flag(hasEnhancementLayer)
        bits.flag(hasBaseLayer)
        number(compatibility, 4)
        number(compression, 2)
        return bits.bytes + Array(repeating: 0, count: Self.length - bits.bytes.count)
    }

    /// Type of the box that holds the record: `dvcC` up to profile 7, `dvvC` up to 10, `dvwC` beyond.
    public var boxType: FourCC {
        switch profile {
        case ...7: "dvcC"
        case ...10: "dvvC"
        default: "dvwC"
        }
    }

    /// Brand of a base layer that other decoders can show: `db1p` for HDR10, `db4h` for HLG; nil for others.
    ///
    /// - Note: Dolby Vision Streams Within the HTTP Live Streaming Format, version 2.0, §3.
    public var baseBrand: FourCC? {
        switch compatibility {
        case 1: "db1p"
        case 4: "db4h"
        default: nil
        }
    }
}

extension CodecString {
    /// `dvh1.PP.LL`, with profile and level in two digits.
    ///
    /// - Parameter entry: `dvh1`, `dvhe`, `dvav`, `dva1` or `dav1`.
    /// - Note: Dolby Vision Profiles and Levels §2.3; RFC 6381 §3.3.
    public static func dolbyVision(_ record: DolbyVisionConfiguration, entry: FourCC = "dvh1") -> String {
        func pair(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(entry).\(pair(record.profile)).\(pair(record.level))"
    }
}
