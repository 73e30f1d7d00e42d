/// A bounded reader of bits, most significant first. Reads past the end return 0 and set ``overran``.
///
/// With `escaped`, the emulation prevention bytes of a NAL unit (the 3 of 00 00 03) are skipped as they are met, so
/// that a payload needs no copy. Valid only while the memory behind `bytes` is.
///
/// - Note: ITU-T H.264 §7.3.1, §9.1; ITU-T H.265 §7.3.1.1, §9.2.
struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    private let isEscaped: Bool
    private var offset = 0
    private var zeros = 0
    private var cache: UInt64 = 0
    private var cached = 0
    /// Whether a read wanted more than there is. Check once, after the last read.
    private(set) var overran = false
    /// Bits read so far, emulation prevention bytes not counted.
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer, escaped: Bool = false) {
        self.bytes = bytes
        isEscaped = escaped
    }

    /// A number of 0 to 32 bits.
    mutating func u(_ count: Int) -> UInt32 {
        guard count > 0 else { return 0 }
        while cached < count {
            guard let byte = nextByte() else {
                overran = true
                cached = 0
                cache = 0
                offset = bytes.count
                return 0
            }
            cache = cache << 8 | UInt64(byte)
            cached += 8
        }
        cached -= count
        position += count
        let mask = (UInt64(1) << UInt64(count)) - 1
        return UInt32(truncatingIfNeeded: cache >> UInt64(cached) & mask)
    }

    mutating func flag() -> Bool { u(1) == 1 }

    /// An unsigned exp-Golomb number; longer than 32 bits counts as overrun.
    mutating func ue() -> UInt32 {
        var zeros = 0
        while !overran, u(1) == 0 {
            zeros += 1
            if zeros > 31 {
                overran = true
                return 0
            }
        }
        return overran ? 0 : (UInt32(1) << UInt32(zeros)) - 1 + u(zeros)
    }

    /// A signed exp-Golomb number.
    mutating func se() -> Int32 {
        let code = ue()
        let magnitude = Int32(bitPattern: (code >> 1) &+ (code & 1))
        return code & 1 == 1 ? magnitude : 0 &- magnitude
    }

    mutating func skip(_ count: Int) {
        var rest = count
        while rest > 0, !overran {
            _ = u(min(rest, 32))
            rest -= 32
        }
    }

    /// Moves to the next byte boundary.
    mutating func align() { skip((8 - position % 8) % 8) }

    private mutating func nextByte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        var byte = bytes[offset]
        offset += 1
        guard isEscaped else { return byte }
        if zeros >= 2, byte == 3 {
            zeros = 0
            guard offset < bytes.count else { return nil }
            byte = bytes[offset]
            offset += 1
        }
        zeros = byte == 0 ? zeros + 1 : 0
        return byte
    }
}
