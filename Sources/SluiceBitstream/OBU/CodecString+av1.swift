extension CodecString {
    /// `av01.P.LLT.DD.M.CCC.cp.tc.mc.F` from `av1C`; all fields are printed.
    ///
    /// Colour comes from `color`, else from the sequence header inside the record, else BT.709 is stated. A record
    /// that cannot be read gives `av01.0.08M.08`.
    ///
    /// - Note: AV1-ISOBMFF §5.
    public static func av1(_ record: [UInt8], color: ColorDescription? = nil) -> String {
        guard record.count >= 4, record[0] == 0x81 else { return "av01.0.08M.08" }
        let profile = record[1] >> 5
        let level = record[1] & 0x1F
        let flags = record[2]
        let tier = flags & 0x80 != 0 ? "H" : "M"
        // Twelve bits exist in the professional profile only.
        let depth = flags & 0x40 == 0 ? 8 : flags & 0x20 != 0 && profile == 2 ? 12 : 10
        let isFull = flags & 0x0C == 0x0C
        let chroma = "\(flags >> 3 & 1)\(flags >> 2 & 1)\(isFull ? flags & 3 : 0)"
        var stated = color
        if stated == nil || stated?.isUnspecified == true {
            let header = record.withUnsafeBytes { bytes in
                AV1SequenceHeader(temporalUnit: UnsafeRawBufferPointer(rebasing: bytes[4...]))
            }
            stated = header?.color
        }
        let used = stated.flatMap { $0.isUnspecified ? nil : $0 } ?? .bt709
        let parts = [
            "av01", "\(profile)", twoDigits(level) + tier, twoDigits(UInt8(depth)), "\(flags >> 4 & 1)", chroma,
            twoDigits(used.primaries), twoDigits(used.transfer), twoDigits(used.matrix), used.fullRange ? "1" : "0",
        ]
        return parts.joined(separator: ".")
    }

    /// `vp09.PP.LL.DD.CC.cp.tc.mc.FF` from `vpcC`; `vp09.00.40.08` where the record is cut.
    ///
    /// - Note: VP Codec ISO Media File Format Binding, "Codecs Parameter String".
    public static func vp9(_ record: [UInt8]) -> String {
        guard record.count >= 6 else { return "vp09.00.40.08" }
        let values = [
            record[0], record[1], record[2] >> 4, record[2] >> 1 & 7, record[3], record[4], record[5], record[2] & 1,
        ]
        return "vp09." + values.map(twoDigits).joined(separator: ".")
    }

    static func twoDigits(_ value: UInt8) -> String { value < 10 ? "0\(value)" : "\(value)" }
}
