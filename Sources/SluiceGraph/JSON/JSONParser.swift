import SluiceCore

/// One reading of one text. The grammar's productions are its methods; ``advance()`` alone moves the place.
struct JSONParser {
    /// The text is not JSON from here on; the finding is already recorded.
    struct Stop: Error {}

    let bytes: [UInt8]
    var location: SourceLocation
    var findings: [GraphDiagnostic] = []
    private var depth = 0

    init(bytes: [UInt8], file: String) {
        self.bytes = bytes
        location = .start(of: file)
    }

    mutating func parse() -> (JSONNode?, [GraphDiagnostic]) {
        let node = try? document()
        let broken = findings.contains { $0.code == .syntax }
        return (broken ? nil : node, findings)
    }

    private mutating func document() throws(Stop) -> JSONNode {
        if let offset = UTF8Check.firstInvalid(in: bytes) {
            while location.offset < offset { advance() }
            throw stop("byte 0x\(hex(bytes[offset])) is not valid UTF-8")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw stop("text begins with a byte order mark") }
        skipSpace()
        let node = try value()
        skipSpace()
        if let byte = current { throw stop("\(name(byte)) after the end of the document") }
        return node
    }

    // MARK: - Productions

    private mutating func value() throws(Stop) -> JSONNode {
        let start = location
        switch current {
        case UInt8(ascii: "{"): return JSONNode(.object(try nested { (p) throws(Stop) in try p.members() }), at: start)
        case UInt8(ascii: "["): return JSONNode(.array(try nested { (p) throws(Stop) in try p.elements() }), at: start)
        case UInt8(ascii: "\""): return JSONNode(.string(try string()), at: start)
        case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return JSONNode(try number(), at: start)
        case let byte? where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z"):
            return JSONNode(try word(), at: start)
        case let byte?: throw stop("expected a value, found \(name(byte))")
        case nil: throw stop("expected a value, found the end of the text")
        }
    }

    private mutating func nested<Result>(
        _ body: (inout JSONParser) throws(Stop) -> Result
    ) throws(Stop) -> Result {
        guard depth < JSONDocument.maximumDepth else {
            throw stop("more than \(JSONDocument.maximumDepth) arrays and objects inside each other")
        }
        depth += 1
        advance()
        skipSpace()
        let result = try body(&self)
        depth -= 1
        return result
    }

    private mutating func elements() throws(Stop) -> [JSONNode] {
        var elements: [JSONNode] = []
        if take(UInt8(ascii: "]")) { return elements }
        while true {
            elements.append(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            try expect(UInt8(ascii: ","), "',' or ']'")
            skipSpace()
        }
    }

    private mutating func members() throws(Stop) -> [JSONMember] {
        var members: [JSONMember] = []
        var places: [String: SourceLocation] = [:]
        if take(UInt8(ascii: "}")) { return members }
        while true {
            guard current == UInt8(ascii: "\"") else { throw stop("expected a key in quotes, found \(found)") }
            let keyPlace = location
            let key = try string()
            skipSpace()
            try expect(UInt8(ascii: ":"), "':'")
            skipSpace()
            let value = try value()
            if let first = places[key] {
                try report(
                    .duplicateKey, at: keyPlace, "key '\(key)' is already on line \(first.line), column \(first.column)"
                )
            } else {
                places[key] = keyPlace
                members.append(JSONMember(key: Located(key, at: keyPlace), value: value))
            }
            skipSpace()
            if take(UInt8(ascii: "}")) { return members }
            try expect(UInt8(ascii: ","), "',' or '}'")
            skipSpace()
        }
    }

    private mutating func word() throws(Stop) -> JSONNode.Content {
        let start = location
        var text = ""
        while let byte = current, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte), text.utf8.count < 32 {
            text.unicodeScalars.append(Unicode.Scalar(byte))
            advance()
        }
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default:
            let hint = Suggestion.nearest(to: text, among: ["true", "false", "null"])
            findings.append(GraphDiagnostic(.syntax, at: start, "expected a value, found '\(text)'", hint: hint))
            throw Stop()
        }
    }

    private mutating func number() throws(Stop) -> JSONNode.Content {
        let start = location
        var isInteger = true
        _ = take(UInt8(ascii: "-"))
        if take(UInt8(ascii: "0")) {
            if isDigit(current) { throw stop("a number may not begin with 0") }
        } else {
            try digits()
        }
        if take(UInt8(ascii: ".")) {
            isInteger = false
            try digits()
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            isInteger = false
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        let text = String(decoding: bytes[start.offset..<location.offset], as: UTF8.self)
        if isInteger, text != "-0", let value = Int(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else {
            findings.append(
                GraphDiagnostic(.syntax, at: start, "number beyond ± 1.8e308: '\(text.prefix(32))'"))
            throw Stop()
        }
        return .real(value)
    }

    private mutating func digits() throws(Stop) {
        guard isDigit(current) else { throw stop("expected a digit, found \(found)") }
        while isDigit(current) { advance() }
    }

    // MARK: - Characters

    var current: UInt8? { location.offset < bytes.count ? bytes[location.offset] : nil }

    mutating func advance() {
        let byte = bytes[location.offset]
        location.offset += 1
        if byte == 0x0A {
            location.line += 1
            location.column = 1
        } else if current.map({ $0 & 0xC0 != 0x80 }) ?? true {
            // The column moves when the next byte begins another scalar.
            location.column += 1
        }
    }

    mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        advance()
        return true
    }

    private mutating func expect(_ byte: UInt8, _ expected: String) throws(Stop) {
        if !take(byte) { throw stop("expected \(expected), found \(found)") }
    }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { advance() }
    }

    private func isDigit(_ byte: UInt8?) -> Bool { byte.map { $0 >= 0x30 && $0 <= 0x39 } ?? false }

    // MARK: - Findings

    private var found: String { current.map { name($0) } ?? "the end of the text" }

    func name(_ byte: UInt8) -> String {
        byte > 0x20 && byte < 0x7F ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x\(hex(byte))"
    }

    func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }

    mutating func stop(_ message: String) -> Stop {
        findings.append(GraphDiagnostic(.syntax, at: location, message))
        return Stop()
    }

    /// Records a finding behind which reading goes on, within bounds.
    mutating func report(
        _ code: GraphDiagnostic.Code, at place: SourceLocation, _ message: String
    ) throws(Stop) {
        findings.append(GraphDiagnostic(code, at: place, message))
        if findings.count >= JSONDocument.maximumFindings { throw stop("too many findings; reading ends here") }
    }
}
