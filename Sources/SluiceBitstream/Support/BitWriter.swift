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
}
