/// General profile, tier and level, as `hvcC` and the codec string carry them.
///
/// - Note: ITU-T H.265 §7.3.3.
public struct HEVCProfileTierLevel: Sendable, Hashable {
    /// 0 to 3.
    public var space: UInt8
    public var isHighTier: Bool
    public var profile: UInt8
    /// Flag 0 is the highest bit.
    public var compatibility: UInt32
    /// Six bytes.
    public var constraints: [UInt8]
    /// Thirty times the level: 153 is 5.1.
    public var level: UInt8

    public init(
        space: UInt8 = 0, isHighTier: Bool = false, profile: UInt8, compatibility: UInt32, constraints: [UInt8],
        level: UInt8
    ) {
        self.space = space & 3
        self.isHighTier = isHighTier
        self.profile = profile & 0x1F
        self.compatibility = compatibility
        self.constraints = Array((constraints + [0, 0, 0, 0, 0, 0]).prefix(6))
        self.level = level
    }

    /// Reads `profile_tier_level(1, maxSubLayersMinus1)`.
    init(_ bits: inout BitReader, maxSubLayersMinus1: Int) {
        space = UInt8(bits.u(2))
        isHighTier = bits.flag()
        profile = UInt8(bits.u(5))
        compatibility = bits.u(32)
        constraints = []
        for _ in 0..<6 { constraints.append(UInt8(bits.u(8))) }
        level = UInt8(bits.u(8))
        guard maxSubLayersMinus1 > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<maxSubLayersMinus1 { present.append((bits.flag(), bits.flag())) }
        bits.skip(2 * (8 - maxSubLayersMinus1))
        for layer in present {
            if layer.profile { bits.skip(88) }
            if layer.level { bits.skip(8) }
        }
    }

    /// Bytes 1 to 12 of `hvcC`.
    var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 12)
        writer.u8(space << 6 | (isHighTier ? 0x20 : 0) | profile)
        writer.u32(compatibility)
        writer.raw(constraints)
        writer.u8(level)
        return writer.bytes
    }
}

extension HEVCConfigurationRecord {
    public var profileTierLevel: HEVCProfileTierLevel {
        HEVCProfileTierLevel(
            space: header[1] >> 6, isHighTier: header[1] & 0x20 != 0, profile: header[1] & 0x1F,
            compatibility: header[2..<6].reduce(0) { $0 << 8 | UInt32($1) }, constraints: Swift.Array(header[6..<12]),
            level: header[12])
    }
}
