extension CodecString {
    /// `avc1.PPCCLL` from `avcC`; `avc1.640028` where the record is too short to tell.
    ///
    /// - Note: ISO/IEC 14496-15 §E.3; RFC 6381 §3.3.
    public static func avc(_ record: [UInt8], entry: FourCC = "avc1") -> String {
        guard record.count >= 4, record[0] == 1 else { return "\(entry).640028" }
        return "\(entry)." + record[1...3].map(hexPair).joined()
    }

    /// `hvc1.P.C.TL.B…` from `hvcC`; `hvc1.2.4.L150` where the record cannot tell.
    ///
    /// The compatibility flags are printed with flag 0 as the lowest bit; trailing zero constraint bytes are left
    /// out. Hexadecimal digits are upper-case.
    ///
    /// - Note: ISO/IEC 14496-15 §E.3.
    public static func hevc(_ record: [UInt8], entry: FourCC = "hvc1") -> String {
        guard record.count >= 13, record[0] == 1 else { return "\(entry).2.4.L150" }
        let level = HEVCProfileTierLevel(
            space: record[1] >> 6, isHighTier: record[1] & 0x20 != 0, profile: record[1] & 0x1F,
            compatibility: record[2..<6].reduce(0) { $0 << 8 | UInt32($1) }, constraints: Array(record[6..<12]),
            level: record[12])
        return hevc(level, entry: entry)
    }

    /// `hvc1.P.C.TL.B…` from profile, tier and level.
    public static func hevc(_ level: HEVCProfileTierLevel, entry: FourCC = "hvc1") -> String {
        let space = ["", "A", "B", "C"][Int(level.space & 3)]
        var reversed: UInt32 = 0
        for bit in 0..<32 as Range<UInt32> where level.compatibility >> bit & 1 == 1 { reversed |= 1 << (31 - bit) }
        let tier = level.isHighTier ? "H" : "L"
        var text = "\(entry).\(space)\(level.profile)." + String(reversed, radix: 16, uppercase: true)
        text += ".\(tier)\(level.level)"
        let used = level.constraints.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        for byte in level.constraints.prefix(used) { text += "." + hexPair(byte) }
        return text
    }
}
