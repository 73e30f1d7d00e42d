/// The NAL units of an Annex B byte stream, in order, as ranges without start codes and trailing zeros.
///
/// Valid only while the memory behind it is.
///
/// - Note: ITU-T H.264 Annex B, ITU-T H.265 Annex B.
public struct AnnexBUnits: Sequence, IteratorProtocol {
    private let bytes: UnsafeRawBufferPointer
    /// First byte after a start code; nil at the end.
    private var start: Int?

    /// Bytes before the first start code are skipped.
    public init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        start = Self.startCode(in: bytes, from: 0).map { $0 + 3 }
    }

    public mutating func next() -> Range<Int>? {
        while let begin = start {
            let code = Self.startCode(in: bytes, from: begin)
            start = code.map { $0 + 3 }
            var end = code ?? bytes.count
            while end > begin, bytes[end - 1] == 0 { end -= 1 }
            if end > begin { return begin..<end }
        }
        return nil
    }

    /// Whether the bytes begin with a start code of three or four bytes.
    public static func hasStartCode(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0, bytes[1] == 0 else { return false }
        return bytes[2] == 1 || (bytes[2] == 0 && bytes[3] == 1)
    }

    /// Offset of the next 00 00 01 at or after `from`.
    static func startCode(in bytes: UnsafeRawBufferPointer, from: Int) -> Int? {
        var index = from + 2
        let count = bytes.count
        while index < count {
            let byte = bytes[index]
            if byte > 1 {
                index += 3
            } else if byte == 0 {
                index += 1
            } else if bytes[index - 1] == 0, bytes[index - 2] == 0 {
                return index - 2
            } else {
                index += 3
            }
        }
        return nil
    }
}
