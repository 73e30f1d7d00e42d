extension DolbyVisionRPU {
    /// The RPU as a NAL unit: two bytes of header, prefix byte, emulation prevention; no start code, no length.
    public var unit: [UInt8] { Self.unitHeader + EmulationPrevention.inserted(into: payload) }

    /// The RPU from its prefix byte on, without NAL header and emulation prevention.
    public var payload: [UInt8] { [Self.prefix] + body }

    /// The RPU as the ITU-T T.35 message of an AV1 metadata unit, without the country code (B5) before it.
    public var message: [UInt8] { EMDFContainer.message(of: body) }

    /// What follows the prefix byte, checksum included.
    private var body: [UInt8] {
        var bits = BitWriter()
        header.write(to: &bits)
        bits.flag(display != nil)
        switch source {
        case .previous(let id):
            bits.flag(true)
            bits.ue(id)
        case .coded(let mapping):
            bits.flag(false)
            mapping.write(to: &bits, header)
        }
        display?.write(to: &bits)
        bits.align()
        bits.raw(remainder)
        bits.u(MPEG2Checksum.of(bits.bytes), 32)
        bits.u(UInt32(Self.terminator), 8)
        return bits.bytes
    }
}
