/// A bounded big-endian reader. Reads past the end return 0 and set ``overran``; nothing traps.
///
/// Valid only while the memory behind `bytes` is.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer
    /// Next byte to read; never beyond ``end``.
    private(set) var offset: Int
    let end: Int
    /// Whether a read wanted more than there is. Check once, after the last read.
    private(set) var overran = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        let clamped = range.clamped(to: 0..<bytes.count)
        self.bytes = bytes
        offset = clamped.lowerBound
        end = clamped.upperBound
    }

    var remaining: Int { end - offset }

    mutating func u8() -> UInt8 {
        guard offset < end else {
            overran = true
            return 0
        }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func u16() -> UInt16 { UInt16(truncatingIfNeeded: number(bytes: 2)) }
    mutating func u24() -> UInt32 { UInt32(truncatingIfNeeded: number(bytes: 3)) }
    mutating func u32() -> UInt32 { UInt32(truncatingIfNeeded: number(bytes: 4)) }
    mutating func i32() -> Int32 { Int32(bitPattern: u32()) }
    mutating func u64() -> UInt64 { number(bytes: 8) }
    mutating func fourCC() -> FourCC { FourCC(rawValue: u32()) }

    /// A big-endian number of 1 to 8 bytes.
    mutating func number(bytes count: Int) -> UInt64 {
        guard count <= remaining else {
            offset = end
            overran = true
            return 0
        }
        var value: UInt64 = 0
        for index in offset..<(offset + count) { value = value << 8 | UInt64(bytes[index]) }
        offset += count
        return value
    }

    mutating func skip(_ count: Int) {
        guard count >= 0, count <= remaining else {
            offset = end
            overran = true
            return
        }
        offset += count
    }

    /// A view of the next `count` bytes; empty, and ``overran`` set, when there are fewer.
    mutating func slice(_ count: Int) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else {
            offset = end
            overran = true
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
    }

    /// A copy of the next `count` bytes.
    mutating func copy(_ count: Int) -> [UInt8] { [UInt8](slice(count)) }
}
