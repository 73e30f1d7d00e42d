/// Bytes as text that can stand in a path.
///
/// - Note: RFC 4648 §5, without padding.
enum Base64URL {
    /// Nil for characters outside the alphabet, and for text whose last bits are not zero: a source has one address.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, held): (UInt32, Int) = (0, 0)
        for byte in text.utf8 {
            let value: UInt8
            switch byte {
            case 65...90: value = byte - 65
            case 97...122: value = byte - 71
            case 48...57: value = byte + 4
            case 45: value = 62
            case 95: value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
            bits &= (1 << UInt32(held)) - 1
        }
        return held < 6 && bits == 0 ? bytes : nil
    }

    static func encode(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var out: [UInt8] = []
        var (bits, held): (UInt32, Int) = (0, 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                out.append(alphabet[Int(bits >> UInt32(held) & 63)])
            }
            bits &= (1 << UInt32(held)) - 1
        }
        if held > 0 { out.append(alphabet[Int(bits << UInt32(6 - held) & 63)]) }
        return String(decoding: out, as: UTF8.self)
    }
}
