/// Appends bits, most significant first; the last byte is filled with zeros.
struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var free = 0

    /// The low `count` bits of `value`; 0 to 32.
    mutating func u(_ value: UInt32, _ count: Int) {
        var rest = min(max(count, 0), 32)
        while rest > 0 {
            if free == 0 {
                bytes.append(0)
                free = 8
            }
            let part = min(rest, free)
            let bits = (value >> UInt32(rest - part)) & ((1 << UInt32(part)) - 1)
            bytes[bytes.count - 1] |= UInt8(truncatingIfNeeded: bits << UInt32(free - part))
            free -= part
            rest -= part
        }
    }

    mutating func flag(_ value: Bool) { u(value ? 1 : 0, 1) }

    /// An unsigned exp-Golomb number.
    mutating func ue(_ value: UInt32) {
        let code = UInt64(value) + 1
        let length = 64 - code.leadingZeroBitCount
        u(0, length - 1)
        if length > 32 { u(1, 1) }
        u(UInt32(truncatingIfNeeded: code), min(length, 32))
    }

    /// A signed exp-Golomb number; the lowest one has no code and is written as the one above it.
    mutating func se(_ value: Int32) {
        let doubled = 2 * Int64(max(value, -Int32.max))
        ue(UInt32(doubled > 0 ? doubled - 1 : -doubled))
    }

    /// Moves to the next byte boundary; what is skipped is 0.
    mutating func align() { free = 0 }

    /// Whole bytes, wherever the last bit was written.
    mutating func raw(_ list: some Sequence<UInt8>) { for byte in list { u(UInt32(byte), 8) } }

    /// Bits to the next byte boundary.
    var unaligned: Int { free }
}
