extension JSONParser {
    /// A string from its opening to its closing quote; the text is known to be valid UTF-8.
    ///
    /// Control characters, unknown escapes and lone surrogates are reported one by one.
    mutating func string() throws(Stop) -> String {
        let start = location
        advance()
        var text: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                advance()
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &text)
            case 0x00...0x1F:
                let message = "control character 0x\(hex(byte)) in a string; write it as \\u00\(hex(byte))"
                try report(.syntax, at: location, message)
                // A string that runs over the end of its line usually lacks its quote.
                if byte == 0x0A { throw Stop() }
                advance()
            default:
                text.append(byte)
                advance()
            }
        }
        findings.append(GraphDiagnostic(.syntax, at: start, "string without closing quote"))
        throw Stop()
    }

    private mutating func escape(into text: inout [UInt8]) throws(Stop) {
        let start = location
        advance()
        guard let byte = current else { throw stop("text ends inside an escape") }
        if byte == UInt8(ascii: "u") {
            advance()
            return try unicodeEscape(from: start, into: &text)
        }
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        default:
            try report(.syntax, at: start, "unknown escape: \\ followed by \(name(byte))")
            if byte < 0x20 { return }
        }
        advance()
    }

    private mutating func unicodeEscape(from start: SourceLocation, into text: inout [UInt8]) throws(Stop) {
        let first = try hexUnit()
        var scalar = first
        if (0xD800...0xDBFF).contains(first), current == UInt8(ascii: "\\") {
            let before = location
            advance()
            if take(UInt8(ascii: "u")) {
                let second = try hexUnit()
                if (0xDC00...0xDFFF).contains(second) {
                    scalar = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
                } else {
                    location = before
                }
            } else {
                location = before
            }
        }
        guard let character = Unicode.Scalar(scalar) else {
            return try report(.syntax, at: start, "lone surrogate \\u\(String(first, radix: 16, uppercase: true))")
        }
        text.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func hexUnit() throws(Stop) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw stop("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt32(digit)
            advance()
        }
        return unit
    }
}
