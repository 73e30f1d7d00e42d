import SluiceCore

/// The wrapping of an RPU in the ITU-T T.35 message of an AV1 metadata unit: Dolby's provider codes, then an EMDF
/// container whose fields never vary, then the RPU without its prefix byte, off the byte grid.
///
/// - Note: ETSI TS 103 572 §D; ETSI TS 102 366 Annex H.2.2 (EMDF).
enum EMDFContainer {
    /// `itu_t_t35_country_code` of the United States.
    static let country: UInt8 = 0xB5
    /// `terminal_provider_code` 003B, `terminal_provider_oriented_code` 00000800.
    private static let provider: [UInt8] = [0x00, 0x3B, 0x00, 0x00, 0x08, 0x00]
    /// Version 0, key 6, payload 31 with extension 225, four absent fields, `discard_unknown_payload`.
    private static let head: UInt32 = 0x01BE_6841
    private static let headWidth = 27
    /// Payload 0 as the end, one byte of protection, its value.
    private static let tail: UInt32 = 0x400
    private static let tailWidth = 17
    /// Groups of eight bits that a size may have: enough for 16 MiB.
    private static let groups = 3

    /// What the container holds.
    ///
    /// - Parameter message: from the country code or from the provider code on; trailing bits of the unit may follow.
    static func payload(of message: [UInt8]) throws(NodeFailure) -> [UInt8] {
        let body = message.first == country ? message.dropFirst() : message[...]
        guard body.starts(with: provider) else {
            throw NodeFailure(
                .malformedInput, "T.35 message of \(message.count) bytes is no RPU; expected provider code 003B, 0800")
        }
        return try Array(body.dropFirst(provider.count)).withBytes { (bytes) throws(NodeFailure) -> [UInt8] in
            var reader = RPUReader(bytes)
            _ = try reader.number(headWidth, "EMDF head", in: head...head)
            let size = try Self.size(&reader)
            let payload = try reader.bytes(size, "EMDF payload")
            _ = try reader.number(tailWidth, "EMDF tail", in: tail...tail)
            // Writers fill the last byte with zeros or with ones.
            _ = try reader.number(reader.remaining % 8, "EMDF padding")
            let rest = try reader.bytes(reader.remaining / 8, "trailing bits")
            guard rest.allSatisfy({ $0 == 0 }) || rest.first == 0x80 && rest.dropFirst().allSatisfy({ $0 == 0 }) else {
                throw reader.failure("\(rest.count) bytes after the EMDF container; expected trailing bits only")
            }
            return payload
        }
    }

    /// A message without its country code. The last byte is filled with ones.
    static func message(of payload: [UInt8]) -> [UInt8] {
        var bits = BitWriter()
        bits.raw(provider)
        bits.u(head, headWidth)
        write(size: payload.count, to: &bits)
        bits.raw(payload)
        bits.u(tail, tailWidth)
        bits.u(.max, bits.unaligned)
        return bits.bytes
    }

    /// `variable_bits(8)`: each further group counts from where the ones before it end.
    private static func size(_ reader: inout RPUReader) throws(NodeFailure) -> Int {
        var value = 0
        for group in 0..<groups {
            value += Int(try reader.number(8, "emdf_payload_size"))
            guard try reader.flag("emdf_payload_size") else { return value }
            if group + 1 < groups { value = (value + 1) << 8 }
        }
        throw reader.failure("emdf_payload_size of more than \(groups) groups; expected at most \(groups)")
    }

    private static func write(size: Int, to bits: inout BitWriter) {
        var list = [size & 0xFF]
        var rest = size >> 8
        while rest > 0 {
            list.append((rest - 1) & 0xFF)
            rest = (rest - 1) >> 8
        }
        for (index, group) in list.reversed().enumerated() {
            bits.u(UInt32(group), 8)
            bits.flag(index + 1 < list.count)
        }
    }
}
