/// The NAL units of a length-prefixed sample, in order, as ranges without their lengths.
///
/// Ends at the first unit that does not fit; ``isExact`` tells whether the walk ended at the last byte. Valid only
/// while the memory behind it is.
///
/// - Note: ISO/IEC 14496-15 §4.3.3.
public struct LengthPrefixedUnits: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    private let lengthSize: Int
    /// Where the next length starts: all bytes before are whole units.
    public private(set) var offset = 0
    private var isDamaged = false

    /// - Parameter lengthSize: 1, 2 or 4 bytes; other values (3 included) are read as well, within 1 to 4.
    public init(_ bytes: UnsafeRawBufferPointer, lengthSize: Int = 4) {
        self.bytes = bytes
        self.lengthSize = Swift.min(Swift.max(lengthSize, 1), 4)
    }

    public mutating func next() -> Range<Int>? {
        guard !isDamaged, offset < bytes.count else { return nil }
        guard bytes.count - offset > lengthSize else {
            isDamaged = true
            return nil
        }
        var length = 0
        for index in offset..<(offset + lengthSize) { length = length << 8 | Int(bytes[index]) }
        let begin = offset + lengthSize
        guard length > 0, length <= bytes.count - begin else {
            isDamaged = true
            return nil
        }
        offset = begin + length
        return begin..<offset
    }

    /// Whether what was walked so far is sound and nothing is left.
    public var isExact: Bool { !isDamaged && offset == bytes.count }

    /// Whether all bytes are units with lengths, to the last byte. Empty samples are not.
    public static func fills(_ bytes: UnsafeRawBufferPointer, lengthSize: Int = 4) -> Bool {
        var units = LengthPrefixedUnits(bytes, lengthSize: lengthSize)
        while units.next() != nil {}
        return units.isExact && !bytes.isEmpty
    }

    /// Bytes at the front that are whole units; 0 where not even the first is.
    public static func wholeLength(_ bytes: UnsafeRawBufferPointer, lengthSize: Int = 4) -> Int {
        var units = LengthPrefixedUnits(bytes, lengthSize: lengthSize)
        while units.next() != nil {}
        return units.offset
    }
}
