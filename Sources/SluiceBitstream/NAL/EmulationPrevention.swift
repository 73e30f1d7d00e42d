/// The bytes that keep start codes out of NAL units: a 3 after two zeros where 0, 1, 2 or 3 follows.
///
/// - Note: ITU-T H.264 §7.4.1.1, ITU-T H.265 §7.4.2.
enum EmulationPrevention {
    /// A copy without the prevention bytes. One at the very end is removed too, as after trailing zeros.
    static func removed(from bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            plain.append(byte)
        }
        return plain
    }

    /// `bytes` as the inside of a NAL unit. A last byte of 0 gets a 3 after it: no unit ends in a zero.
    static func inserted(into bytes: [UInt8]) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count + bytes.count / 16 + 1)
        var zeros = 0
        for byte in bytes {
            if zeros == 2, byte <= 3 {
                escaped.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            escaped.append(byte)
        }
        if bytes.last == 0 { escaped.append(3) }
        return escaped
    }
}
