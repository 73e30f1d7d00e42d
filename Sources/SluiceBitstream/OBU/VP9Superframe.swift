/// Several VP9 frames in one unit, of which at most one is shown.
///
/// - Note: VP9 bitstream specification, Annex B.
public enum VP9Superframe {
    /// Frames that an index can count.
    public static let limit = 8

    /// Sizes of the frames of a unit, in order, and of all of them together; one where the unit has no index.
    public static func sizes(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        guard let last = bytes.last, last & 0xE0 == 0xC0 else { return [bytes.count] }
        let count = Int(last & 7) + 1
        let width = Int(last >> 3 & 3) + 1
        let length = 2 + width * count
        guard bytes.count >= length, bytes[bytes.count - length] == last else { return [bytes.count] }
        var sizes: [Int] = []
        var offset = bytes.count - length + 1
        for _ in 0..<count {
            var size = 0
            for byte in 0..<width { size |= Int(bytes[offset + byte]) << (8 * byte) }
            sizes.append(size)
            offset += width
        }
        let total = sizes.reduce(0, &+)
        return total <= bytes.count - length && sizes.allSatisfy { $0 > 0 } ? sizes : [bytes.count]
    }

    /// The index behind frames of these sizes; empty where they are not 2 to 8.
    public static func index(_ sizes: [Int]) -> [UInt8] {
        guard (2...limit).contains(sizes.count) else { return [] }
        let largest = UInt32(clamping: sizes.max() ?? 0)
        let width = max(1, (32 - largest.leadingZeroBitCount + 7) / 8)
        let marker = UInt8(0xC0 | (width - 1) << 3 | (sizes.count - 1))
        var bytes = [marker]
        for size in sizes {
            for byte in 0..<width {
                bytes.append(UInt8(truncatingIfNeeded: UInt32(clamping: size) >> (8 * UInt32(byte))))
            }
        }
        bytes.append(marker)
        return bytes
    }
}
