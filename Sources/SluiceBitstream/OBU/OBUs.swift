/// Type of an AV1 open bitstream unit.
///
/// - Note: AV1 bitstream specification §6.2.2.
public enum OBUType: UInt8, Sendable, Hashable {
    case sequenceHeader = 1
    case temporalDelimiter = 2
    case frameHeader = 3
    case tileGroup = 4
    case metadata = 5
    case frame = 6
    case redundantFrameHeader = 7
    case tileList = 8
    case padding = 15
}

/// Where a unit lies inside a temporal unit.
public struct OBU: Sendable, Hashable {
    /// nil for reserved types.
    public var type: OBUType?
    /// Header, size field and payload.
    public var range: Range<Int>
    public var payload: Range<Int>
    public var temporalID: UInt8
    public var spatialID: UInt8
}

/// The units of a temporal unit in low overhead format, in order.
///
/// Ends at the first unit that does not fit; ``isExact`` tells whether the walk ended at the last byte. Valid only
/// while the memory behind it is.
///
/// - Note: AV1 bitstream specification §5.3.
public struct OBUs: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var isDamaged = false

    public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    public mutating func next() -> OBU? {
        guard !isDamaged, offset < bytes.count else { return nil }
        var cursor = offset + 1
        let header = bytes[offset]
        var layer: UInt8 = 0
        guard header & 0x80 == 0 else { return fail() }
        if header & 4 != 0 {
            guard cursor < bytes.count else { return fail() }
            layer = bytes[cursor]
            cursor += 1
        }
        // Only the last unit may come without its size.
        var size = bytes.count - cursor
        if header & 2 != 0 {
            guard let (value, length) = Self.leb128(bytes, at: cursor) else { return fail() }
            cursor += length
            guard value <= bytes.count - cursor else { return fail() }
            size = value
        }
        defer { offset = cursor + size }
        return OBU(
            type: OBUType(rawValue: header >> 3 & 15), range: offset..<(cursor + size),
            payload: cursor..<(cursor + size), temporalID: layer >> 5, spatialID: layer >> 3 & 3)
    }

    /// Whether what was walked so far is sound and nothing is left.
    public var isExact: Bool { !isDamaged && offset == bytes.count }

    private mutating func fail() -> OBU? {
        isDamaged = true
        return nil
    }

    /// - Note: AV1 bitstream specification §4.10.5; at most 8 bytes, at most 32 bits.
    static func leb128(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (value: Int, length: Int)? {
        var value: UInt64 = 0
        for index in 0..<8 {
            guard start + index < bytes.count else { return nil }
            let byte = bytes[start + index]
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte & 0x80 == 0 { return value <= UInt64(UInt32.max) ? (Int(value), index + 1) : nil }
        }
        return nil
    }

    /// Whether a temporal unit starts a coded video sequence: a sequence header, and a first frame that is a shown
    /// key frame.
    public static func isKeyFrame(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var hasSequence = false
        var isReduced = false
        for unit in OBUs(bytes) {
            switch unit.type {
            case .sequenceHeader:
                hasSequence = true
                isReduced = AV1SequenceHeader(UnsafeRawBufferPointer(rebasing: bytes[unit.payload]))?.isStill ?? false
            case .frame, .frameHeader:
                guard hasSequence else { return false }
                if isReduced { return true }
                guard let first = bytes[unit.payload].first else { return false }
                // show_existing_frame 0, frame_type KEY_FRAME 00, show_frame 1.
                return first & 0xF0 == 0x10
            default: break
            }
        }
        return false
    }
}
