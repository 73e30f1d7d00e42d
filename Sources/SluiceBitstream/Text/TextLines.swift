/// The lines of a text, ended by CR LF, LF or CR.
struct TextLines: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var place: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        place = bytes.startIndex
    }

    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    mutating func next() -> ArraySlice<UInt8>? {
        guard place < bytes.endIndex else { return nil }
        let end = bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.endIndex
        let line = bytes[place..<end]
        let isPair = end + 1 < bytes.endIndex && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
        place = Swift.min(bytes.endIndex, end + (isPair ? 2 : 1))
        return line
    }
}

/// Times as subtitle files write them.
enum TextTime {
    /// Milliseconds of `h:mm:ss,fff`, `mm:ss.fff` or `h:mm:ss.cc`; nil for anything else and for times beyond
    /// ``TextLimits/latest``. More digits of a second than three are rounded.
    static func milliseconds(_ text: some Collection<UInt8>) -> Int64? {
        var fields: [Int64] = [0]
        var fraction: Int64?
        var digits = 0
        var seen = 0
        for byte in text {
            switch byte {
            case 0x30...0x39:
                seen += 1
                guard seen <= 24 else { return nil }
                let digit = Int64(byte - 0x30)
                if let value = fraction {
                    // A fourth digit rounds; what follows it does not matter.
                    if digits < 3 {
                        fraction = value * 10 + digit
                    } else if digits == 3, digit >= 5 {
                        fraction = value + 1
                    }
                    digits += 1
                } else {
                    let (value, overflow) = fields[fields.count - 1].multipliedReportingOverflow(by: 10)
                    guard !overflow, value < 1 << 40 else { return nil }
                    fields[fields.count - 1] = value + digit
                }
            case UInt8(ascii: ":") where fraction == nil && fields.count < 3: fields.append(0)
            case UInt8(ascii: ","), UInt8(ascii: "."):
                guard fraction == nil else { return nil }
                fraction = 0
            default: return nil
            }
        }
        guard seen > 0, fields.count >= 2 else { return nil }
        var milliseconds = fraction ?? 0
        while digits < 3 {
            milliseconds *= 10
            digits += 1
        }
        let seconds = fields.reduce(Int64(0)) { $0 * 60 + $1 }
        let total = seconds.multipliedReportingOverflow(by: 1_000)
        guard !total.overflow, total.partialValue <= TextLimits.latest else { return nil }
        return total.partialValue + milliseconds
    }

    /// Start and end of `… --> …` and what follows them; nil for a line that is none.
    static func range(
        _ line: ArraySlice<UInt8>
    ) -> (start: Int64, end: Int64, rest: ArraySlice<UInt8>)? {
        guard line.count <= 4_096, let arrow = arrow(line) else { return nil }
        let left = words(line[..<arrow])
        let behind = line[(arrow + 3)...].drop { $0 <= 0x20 }
        let right = behind.prefix { $0 > 0x20 }
        guard left.count == 1, let start = milliseconds(left[0]), let end = milliseconds(right) else { return nil }
        return (start, end, behind[right.endIndex...])
    }

    /// Whether a line holds an arrow.
    static func arrow(_ line: ArraySlice<UInt8>) -> Int? {
        guard line.count >= 3 else { return nil }
        return line.indices.dropLast(2).first { place in
            line[place] == UInt8(ascii: "-") && line[place + 1] == UInt8(ascii: "-")
                && line[place + 2] == UInt8(ascii: ">")
        }
    }

    static func words(_ line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] { line.split { $0 <= 0x20 } }
}
