public import SluiceCore

/// Where a box lies inside the bytes that were walked.
public struct BoxHeader: Sendable, Hashable {
    public var type: FourCC
    /// Offset of the first byte of the box.
    public var offset: Int
    /// 8 or 16 (64-bit size).
    public var headerSize: Int
    /// Bytes in all, header included.
    public var size: Int

    public var payload: Range<Int> { (offset + headerSize)..<(offset + size) }
    public var end: Int { offset + size }
}

/// Walks the boxes of one level, in order.
///
/// Valid only while the memory behind it is. Every call moves forward by at least 8 bytes, so a walk ends.
///
/// - Note: ISO/IEC 14496-12 §4.2.
public struct BoxReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int
    private let end: Int

    /// Walks `range` of `bytes`; nil walks all.
    public init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>? = nil) {
        let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// The next box; nil at the end.
    ///
    /// Throws `.malformedInput` where fewer than 8 bytes are left, a size is below its header or the box runs past
    /// its container. Size 1 reads 64 bits, size 0 runs to the end.
    public mutating func next() throws(NodeFailure) -> BoxHeader? {
        guard offset < end else { return nil }
        var reader = ByteReader(bytes, offset..<end)
        let short = reader.u32()
        let type = reader.fourCC()
        var headerSize = 8
        var size = Int(short)
        if short == 1 {
            size = Int(clamping: reader.u64())
            headerSize = 16
        } else if short == 0 {
            size = end - offset
        }
        guard !reader.overran, size >= headerSize, size <= end - offset else {
            throw NodeFailure(
                .malformedInput, "box '\(type)' at byte \(offset) declares \(size) bytes; its container ends at \(end)")
        }
        defer { offset += size }
        return BoxHeader(type: type, offset: offset, headerSize: headerSize, size: size)
    }

    /// The first box of `type` in `range`; nil where there is none or the bytes before it are damaged.
    public static func first(
        _ type: FourCC, in bytes: UnsafeRawBufferPointer, _ range: Range<Int>? = nil
    ) -> BoxHeader? {
        var reader = BoxReader(bytes, range)
        while let header = try? reader.next() {
            if header.type == type { return header }
        }
        return nil
    }

    /// Follows a path of containers without own fields, such as `moov`, `trak`, `mdia`.
    public static func descend(
        _ path: [FourCC], in bytes: UnsafeRawBufferPointer, _ range: Range<Int>? = nil
    ) -> BoxHeader? {
        var current = range
        var found: BoxHeader?
        for type in path {
            guard let header = first(type, in: bytes, current) else { return nil }
            found = header
            current = header.payload
        }
        return found
    }
}
