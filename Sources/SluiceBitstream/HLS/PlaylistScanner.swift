import SluiceCore

/// One line of a playlist that means something.
enum PlaylistLine {
    /// A tag and what follows its colon; empty where there is no colon.
    case tag(Substring, value: Substring)
    case uri(Substring)
}

/// Splits a playlist into lines; comments and blank lines are left out.
struct PlaylistScanner {
    /// Line numbers count from 1.
    let lines: [(number: Int, line: PlaylistLine)]
    let startsWithHeader: Bool
    /// Whether a tag of multivariant playlists occurs.
    let isMultivariant: Bool

    init(_ text: String) {
        var list: [(number: Int, line: PlaylistLine)] = []
        var number = 0
        var header = false
        var multivariant = false
        for part in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            // Carriage returns, byte order marks and other controls go first, so that what is read can be written.
            var line = Substring(PlaylistText.line(String(Substring(part))))
            while line.utf8.last == 0x20 { line = Substring(line.utf8.dropLast()) }
            if number == 1 {
                header = line == "#EXTM3U"
                continue
            }
            guard let first = line.utf8.first else { continue }
            guard first == 0x23 else {
                list.append((number, .uri(line)))
                continue
            }
            guard line.utf8.starts(with: "#EXT".utf8) else { continue }
            let body = line.dropFirst()
            let colon = body.utf8.firstIndex(of: 0x3A)
            let name = colon.map { body[..<$0] } ?? body
            let value = colon.map { body[body.utf8.index(after: $0)...] } ?? ""
            if Self.multivariantTags.contains(name) { multivariant = true }
            list.append((number, .tag(name, value: value)))
        }
        lines = list
        startsWithHeader = header
        isMultivariant = multivariant
    }

    private static let multivariantTags: Set<Substring> = [
        "EXT-X-STREAM-INF", "EXT-X-MEDIA", "EXT-X-I-FRAME-STREAM-INF",
    ]
}

/// The attributes of one tag.
///
/// - Note: RFC 8216 §4.2.
struct ParsedAttributes {
    private var values: [Substring: Substring] = [:]
    let tag: Substring
    let lineNumber: Int

    /// Throws `.malformedInput` where the text is no attribute list; the first of repeated names counts.
    init(_ text: Substring, tag: Substring, line: Int) throws(NodeFailure) {
        self.tag = tag
        lineNumber = line
        var rest = text.utf8
        while !rest.isEmpty {
            while let byte = rest.first, byte == 0x20 || byte == 0x2C { rest = rest.dropFirst() }
            if rest.isEmpty { break }
            guard let equals = rest.firstIndex(of: 0x3D) else { throw Self.failure(tag, line, "attribute without =") }
            let name = Substring(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            let value: Substring
            if rest.first == 0x22 {
                rest = rest.dropFirst()
                guard let close = rest.firstIndex(of: 0x22) else {
                    throw Self.failure(tag, line, "quoted string without end")
                }
                value = Substring(PlaylistText.quotable(String(Substring(rest[..<close]))))
                rest = rest[rest.index(after: close)...]
            } else {
                let comma = rest.firstIndex(of: 0x2C) ?? rest.endIndex
                value = Substring(PlaylistText.token(String(Substring(rest[..<comma]))))
                rest = rest[comma...]
            }
            if values[name] == nil { values[name] = value }
        }
    }

    subscript(_ name: Substring) -> String? { values[name].map(String.init) }

    func required(_ name: Substring) throws(NodeFailure) -> String {
        guard let value = values[name] else { throw Self.failure(tag, lineNumber, "attribute \(name) is missing") }
        return String(value)
    }

    /// nil where absent.
    func integer(_ name: Substring) throws(NodeFailure) -> Int? {
        guard let text = values[name] else { return nil }
        guard text.utf8.count <= 18, let value = Int(text), value >= 0 else {
            throw Self.failure(tag, lineNumber, "\(name) is not a whole number")
        }
        return value
    }

    /// Rounded to three decimals, as it would be written; nil where absent.
    func decimal(_ name: Substring, signed: Bool = false) throws(NodeFailure) -> Double? {
        guard let text = values[name] else { return nil }
        guard let value = Decimal.number(text), value.magnitude < 1e12, signed || value >= 0 else {
            throw Self.failure(tag, lineNumber, "\(name) is not a number in range")
        }
        return (value * 1_000).rounded() / 1_000
    }

    func flag(_ name: Substring) -> Bool { values[name] == "YES" }

    /// Comma-separated parts of a quoted string, without those of nothing but spaces; empty where absent.
    func list(_ name: Substring) -> [String] {
        (values[name] ?? "").split(separator: ",").compactMap { part in
            var part = part
            while part.utf8.first == 0x20 { part = part.dropFirst() }
            while part.utf8.last == 0x20 { part = part.dropLast() }
            return part.isEmpty ? nil : String(part)
        }
    }

    func resolution() throws(NodeFailure) -> Resolution? {
        guard let text = values["RESOLUTION"] else { return nil }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, text.utf8.count <= 24, let width = Int(parts[0]), let height = Int(parts[1]),
            width >= 0, height >= 0
        else { throw Self.failure(tag, lineNumber, "RESOLUTION is not WIDTHxHEIGHT") }
        return Resolution(width: width, height: height)
    }

    /// `length` or `length@offset`.
    static func byteRange(_ text: some StringProtocol, tag: Substring, line: Int) throws(NodeFailure) -> ByteRange {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2, let length = Int64(String(parts[0])), length >= 0 else {
            throw failure(tag, line, "byte range is not LENGTH or LENGTH@OFFSET")
        }
        guard parts.count == 2 else { return ByteRange(length: length) }
        guard let offset = Int64(String(parts[1])), offset >= 0, !offset.addingReportingOverflow(length).overflow else {
            throw failure(tag, line, "byte range is not LENGTH or LENGTH@OFFSET")
        }
        return ByteRange(length: length, offset: offset)
    }

    static func failure(_ tag: Substring, _ line: Int, _ what: String) -> NodeFailure {
        NodeFailure(.malformedInput, "playlist line \(line), \(tag.prefix(40)): \(what)")
    }
}
