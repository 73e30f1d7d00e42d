/// The head of an EBML element: what it is and how long its payload is.
///
/// - Note: RFC 8794 §5 and §6.
public struct EBMLHead: Sendable, Hashable {
    /// With its length marker, as specifications write it: 1 to 4 bytes.
    public var id: UInt32
    /// Bytes of the payload, below 2^56; nil where the element does not say.
    public var size: Int64?
    /// Bytes of the head itself, 2 to 12.
    public var length: Int

    public enum Reading: Sendable, Hashable {
        case head(EBMLHead)
        /// The bytes end within it.
        case incomplete
        /// No element begins like this.
        case invalid
    }

    /// The longest head there is, in bytes.
    public static let longest = 12

    /// Reads the head that begins at `offset`, which may lie anywhere.
    public static func read(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Reading {
        guard offset >= 0, offset < bytes.count else { return .incomplete }
        let first = bytes[offset]
        let idLength = first.leadingZeroBitCount + 1
        guard idLength <= 4 else { return .invalid }
        guard offset + idLength < bytes.count else { return .incomplete }
        var id: UInt32 = 0
        for index in 0..<idLength { id = id << 8 | UInt32(bytes[offset + index]) }
        switch number(bytes, at: offset + idLength) {
        case .incomplete: return .incomplete
        case .invalid: return .invalid
        case .number(let value, let length):
            let isUnknown = value == (1 << UInt64(7 * length)) - 1
            return .head(EBMLHead(id: id, size: isUnknown ? nil : Int64(value), length: idLength + length))
        }
    }

    enum Number: Hashable {
        /// Below 2^56, in 1 to 8 bytes.
        case number(UInt64, length: Int)
        case incomplete
        case invalid
    }

    /// A variable-size integer without its marker.
    ///
    /// - Note: RFC 8794 §4.
    static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Number {
        guard offset >= 0, offset < bytes.count else { return .incomplete }
        let first = bytes[offset]
        let length = first.leadingZeroBitCount + 1
        guard length <= 8 else { return .invalid }
        guard bytes.count - offset >= length else { return .incomplete }
        var value = UInt64(first) & (0xFF >> UInt64(length))
        for index in 1..<max(1, length) { value = value << 8 | UInt64(bytes[offset + index]) }
        return .number(value, length: length)
    }

    /// An unsigned integer of 0 to 8 bytes; nil where it is longer, or not there.
    static func unsigned(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64? {
        guard range.count <= 8, range.lowerBound >= 0, range.upperBound <= bytes.count else { return nil }
        var value: UInt64 = 0
        for index in range { value = value << 8 | UInt64(bytes[index]) }
        return value
    }
}
