/// How the frames of a block lie in it.
///
/// - Note: RFC 9559 §10.3.
public enum MatroskaLacing: UInt8, Sendable, Hashable {
    /// One frame.
    case none
    case xiph
    case fixed
    case ebml

    /// The frames in `bytes`, which is what follows the flags of a block; at most 256.
    ///
    /// - Returns: nil where sizes contradict each other, or a frame is empty.
    public func frames(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        guard self != .none else { return bytes.isEmpty ? nil : [0..<bytes.count] }
        guard let first = bytes.first else { return nil }
        let count = Int(first) + 1
        var offset = 1
        var sizes: [Int] = []
        switch self {
        case .none: return nil
        case .xiph:
            while sizes.count < count - 1 {
                guard let size = Self.xiphSize(bytes, &offset) else { return nil }
                sizes.append(size)
            }
        case .fixed:
            guard (bytes.count - 1) % count == 0 else { return nil }
            sizes = Array(repeating: (bytes.count - 1) / count, count: count - 1)
        case .ebml:
            while sizes.count < count - 1 {
                guard let size = Self.ebmlSize(bytes, &offset, after: sizes.last) else { return nil }
                sizes.append(size)
            }
        }
        return Self.ranges(sizes, from: offset, to: bytes.count)
    }

    /// A sum of bytes, of which the last one is below 255.
    private static func xiphSize(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Int? {
        var size = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            size += Int(byte)
            if byte != 255 { return size }
        }
        return nil
    }

    /// The first size as it is, later ones as their distance from the one before.
    private static func ebmlSize(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int, after last: Int?) -> Int? {
        guard case .number(let value, let length) = EBMLHead.number(bytes, at: offset) else { return nil }
        offset += length
        // 56 bits at most; what is larger than any block is no size.
        let size = (last ?? 0) + Int(value) - (last == nil ? 0 : (1 << (7 * length - 1)) - 1)
        return (1...Int(Int32.max)).contains(size) ? size : nil
    }

    /// The last frame is what is left.
    private static func ranges(_ sizes: [Int], from start: Int, to end: Int) -> [Range<Int>]? {
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(sizes.count + 1)
        var offset = start
        for size in sizes {
            guard size > 0, size <= end - offset else { return nil }
            ranges.append(offset..<(offset + size))
            offset += size
        }
        guard offset < end else { return nil }
        ranges.append(offset..<end)
        return ranges
    }
}
