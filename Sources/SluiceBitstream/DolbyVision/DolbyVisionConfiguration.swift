public import SluiceCore

/// A DOVIDecoderConfigurationRecord: the payload of `dvcC`, `dvvC` and `dvwC`.
///
/// - Note: Dolby Vision Streams Within the ISO Base Media File Format, version 2.6, §3.2.
public struct DolbyVisionConfiguration: Sendable, Hashable {
    /// `dv_version_major`: 1, or 2 with the later profiles.
    public var majorVersion: Int = 1
    public var minorVersion: Int = 0
    /// `dv_profile`, 0 to 127.
    public var profile: Int
    /// `dv_level`, 0 to 63; see ``level(width:height:period:)``.
    public var level: Int
    /// Whether samples hold RPUs.
    public var hasMetadata: Bool
    /// Whether samples hold an enhancement layer.
    public var hasEnhancementLayer: Bool
    public var hasBaseLayer: Bool
    /// `dv_bl_signal_compatibility_id`: 0 none, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of a disc.
    public var compatibility: Int
    /// `dv_md_compression`, 0 to 3: 0 none, 1 limited, 3 extended.
    public var compression: Int = 0

    /// Bytes of a record.
    public static let length = 24

    /// A record of one layer and RPUs: what a converted stream declares.
    public init(profile: Int, level: Int, compatibility: Int) {
        self.profile = profile
        self.level = level
        self.compatibility = compatibility
        hasMetadata = true
        hasEnhancementLayer = false
        hasBaseLayer = true
    }

    /// What a source declares.
    public init(_ declaration: DolbyVisionDeclaration) {
        self.init(
            profile: declaration.profile, level: declaration.level, compatibility: declaration.compatibility)
        hasMetadata = declaration.hasMetadata
        hasEnhancementLayer = declaration.hasEnhancementLayer
        hasBaseLayer = declaration.hasBaseLayer
    }

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
        majorVersion = Int(record[0])
        minorVersion = Int(record[1])
        profile = Int(record[2] >> 1)
        level = Int(record[2] & 1) << 5 | Int(record[3] >> 3)
        hasMetadata = record[3] & 4 != 0
        hasEnhancementLayer = record[3] & 2 != 0
        hasBaseLayer = record[3] & 1 != 0
        compatibility = record.count > 4 ? Int(record[4] >> 4) : 0
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

    /// The record as what a stream declares.
    public var declaration: DolbyVisionDeclaration {
        DolbyVisionDeclaration(
            profile: profile, level: level, hasMetadata: hasMetadata, hasEnhancementLayer: hasEnhancementLayer,
            hasBaseLayer: hasBaseLayer, compatibility: compatibility)
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
