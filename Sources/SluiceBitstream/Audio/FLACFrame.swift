/// The header of a FLAC frame, as far as its number goes.
///
/// - Note: RFC 9639 §9.1.
public enum FLACFrame {
    /// The same frame of a stream of fixed block size under another number; nil for bytes that are no such frame.
    ///
    /// Encoders count from where they began; within a title frames are counted from its origin.
    ///
    /// - Parameter number: 0 to 2^31 - 1.
    public static func renumbered(_ bytes: [UInt8], to number: Int64) -> [UInt8]? {
        guard bytes.count >= 8, bytes[0] == 0xFF, bytes[1] == 0xF8, let coded = coded(number),
            let oldLength = codedLength(bytes[4]), (0..<(1 << 31)).contains(number)
        else { return nil }
        let (block, rate) = (bytes[2] >> 4, bytes[2] & 15)
        let extra = (block == 6 ? 1 : block == 7 ? 2 : 0) + (rate == 12 ? 1 : rate == 13 || rate == 14 ? 2 : 0)
        let end = 4 + oldLength + extra
        guard bytes.count >= end + 3 else { return nil }
        var frame: [UInt8] = []
        frame.reserveCapacity(bytes.count + 6)
        frame.append(contentsOf: bytes[..<4])
        frame.append(contentsOf: coded)
        frame.append(contentsOf: bytes[(4 + oldLength)..<end])
        frame.append(headerChecksum(frame))
        frame.append(contentsOf: bytes[(end + 1)..<(bytes.count - 2)])
        let sum = frameChecksum(frame)
        frame += [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)]
        return frame
    }

    private static func codedLength(_ lead: UInt8) -> Int? {
        let ones = (~lead).leadingZeroBitCount
        return ones == 0 ? 1 : (2...7).contains(ones) ? ones : nil
    }

    /// A number as UTF-8 would write it, of up to 36 bits.
    private static func coded(_ number: Int64) -> [UInt8]? {
        guard number >= 0, number < 1 << 36 else { return nil }
        if number < 0x80 { return [UInt8(number)] }
        var tail: [UInt8] = []
        var rest = number
        // What a lead byte before `count` others has room for.
        while true {
            tail.insert(0x80 | UInt8(rest & 0x3F), at: 0)
            rest >>= 6
            let room = tail.count < 6 ? 6 - tail.count : 0
            if rest < 1 << room {
                let lead = UInt8(truncatingIfNeeded: 0xFF00 >> (tail.count + 1)) | UInt8(rest)
                return [lead] + tail
            }
        }
    }

    private static let headerTable: [UInt8] = (0...255).map { (index: UInt8) in
        (0..<8).reduce(index) { value, _ in value << 1 ^ (value & 0x80 != 0 ? 0x07 : 0) }
    }

    private static let frameTable: [UInt16] = (0..<256).map { (index: UInt16) in
        (0..<8).reduce(index << 8) { value, _ in value << 1 ^ (value & 0x8000 != 0 ? 0x8005 : 0) }
    }

    private static func headerChecksum(_ bytes: [UInt8]) -> UInt8 {
        bytes.reduce(0) { headerTable[Int($0 ^ $1)] }
    }

    private static func frameChecksum(_ bytes: [UInt8]) -> UInt16 {
        bytes.withUnsafeBufferPointer { buffer in
            var value: UInt16 = 0
            for byte in buffer { value = value << 8 ^ frameTable[Int(value >> 8 ^ UInt16(byte))] }
            return value
        }
    }
}
