/// CRC-32/MPEG-2: polynomial 04C11DB7, all ones at the start, neither reflected nor inverted.
///
/// - Note: ISO/IEC 13818-1 Annex A; the catalogue's check value, of the digits 1 to 9, is 0376E6E7.
enum MPEG2Checksum {
    private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index << 24) { value, _ in value << 1 ^ (value >> 31 == 1 ? 0x04C1_1DB7 : 0) }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var value = UInt32.max
        for byte in bytes { value = value << 8 ^ table[Int(value >> 24 ^ UInt32(byte))] }
        return value
    }
}
