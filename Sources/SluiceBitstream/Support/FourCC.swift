/// A four-character code: the type of a box, a brand, a sample entry.
public struct FourCC: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The four bytes, first character in the highest byte, as a file stores them.
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Takes the first four bytes of `value`; shorter texts are filled with spaces.
    public init(stringLiteral value: String) { self.init(value) }

    /// Takes the first four bytes of `text`; shorter texts are filled with spaces.
    public init(_ text: String) {
        var code: UInt32 = 0
        var count = 0
        for byte in text.utf8.prefix(4) {
            code = code << 8 | UInt32(byte)
            count += 1
        }
        while count < 4 {
            code = code << 8 | 0x20
            count += 1
        }
        rawValue = code
    }

    /// The four characters; bytes outside printable ASCII are written as `\xNN`.
    public var description: String {
        var text = ""
        for shift in [24, 16, 8, 0] as [UInt32] {
            let byte = UInt8(truncatingIfNeeded: rawValue >> shift)
            if byte >= 0x20 && byte < 0x7F {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + hexPair(byte)
            }
        }
        return text
    }
}

/// Two upper-case hexadecimal digits.
func hexPair(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "0" + text : text
}
