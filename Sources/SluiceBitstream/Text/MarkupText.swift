/// The markup of SubRip and of WebVTT cues: tags in angle brackets and, in SubRip, override tags of ASS in braces.
///
/// Known tags become styles, unknown ones stay as they are written: a text in angle brackets may be all there is.
enum MarkupText {
    enum Dialect { case subRip, webVTT }

    /// Tags that are open at one time; deeper ones are ignored.
    private static let depth = 32
    /// Bytes of one tag.
    private static let tagLimit = 256

    static func parse(_ text: String, _ dialect: Dialect) -> (text: CueText, placement: CuePlacement?) {
        var builder = CueTextBuilder()
        var open: [(name: String, style: TextStyle)] = []
        var placement: CuePlacement?
        let bytes = Array(text.utf8.prefix(TextLimits.cueBytes * 4))
        var place = 0
        var plain = 0
        func flush(_ end: Int) {
            if plain < end { builder.append(decoded(bytes[plain..<end])) }
        }
        while place < bytes.count, !builder.isFull {
            if bytes[place] == UInt8(ascii: "<"), let tag = Tag(bytes, at: place, limit: tagLimit),
                tag.isKnown(dialect)
            {
                flush(place)
                apply(tag, dialect, &builder, &open)
                place = tag.end
                plain = place
            } else if dialect == .subRip, bytes[place] == UInt8(ascii: "{"),
                let end = bytes[place...].prefix(tagLimit).firstIndex(of: UInt8(ascii: "}")),
                place + 1 < end, bytes[place + 1] == UInt8(ascii: "\\")
            {
                flush(place)
                let block = ASSOverrides(bytes[(place + 1)..<end])
                block.apply(to: &builder.style, base: TextStyle())
                if placement == nil, let alignment = block.alignment { placement = CuePlacement(alignment: alignment) }
                place = end + 1
                plain = place
            } else {
                place += 1
            }
        }
        flush(place)
        return (builder.finished(), placement)
    }

    private static func apply(
        _ tag: Tag, _ dialect: Dialect, _ builder: inout CueTextBuilder,
        _ open: inout [(name: String, style: TextStyle)]
    ) {
        if tag.isClosing {
            guard let match = open.lastIndex(where: { $0.name == tag.name }) else { return }
            builder.style = open[match].style
            open.removeSubrange(match...)
            return
        }
        if tag.name == "br" {
            builder.append("\n")
            return
        }
        // Times inside of a text have no counterpart in a run.
        guard open.count < depth, !tag.isTime else { return }
        open.append((tag.name, builder.style))
        switch tag.name {
        case "b": builder.style.isBold = true
        case "i": builder.style.isItalic = true
        case "u": builder.style.isUnderlined = true
        case "font":
            if let color = tag.attribute("color").flatMap(TextColor.init(html:)) { builder.style.color = color }
        case "c":
            if let color = tag.classes.lazy.compactMap(TextColor.init(html:)).first { builder.style.color = color }
        default: break
        }
    }

    /// Text with the entities that stand for markup, and blanks, decoded.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            rest = rest[mark...]
            if let (entity, value) = entities.first(where: { rest.hasPrefix($0.0) }) {
                result += value
                rest = rest.dropFirst(entity.count)
            } else {
                result += "&"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    private static let entities = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", "\u{A0}"), ("&lrm;", "\u{200E}"),
        ("&rlm;", "\u{200F}"),
    ]
}

/// One tag in angle brackets.
private struct Tag {
    var name: String
    var isClosing: Bool
    var classes: [String] = []
    /// What stands behind the name.
    var rest: String
    var isTime = false
    /// Behind the closing bracket.
    var end: Int

    init?(_ bytes: [UInt8], at place: Int, limit: Int) {
        guard let close = bytes[place...].prefix(limit).firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let inside = bytes[(place + 1)..<close]
        guard !inside.contains(UInt8(ascii: "<")), !inside.isEmpty else { return nil }
        end = close + 1
        isClosing = inside.first == UInt8(ascii: "/")
        let body = isClosing ? inside.dropFirst() : inside
        let word = body.prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") }
        let parts = String(decoding: word, as: UTF8.self).split(separator: ".", omittingEmptySubsequences: false)
        name = parts.first.map { $0.lowercased() } ?? ""
        classes = parts.dropFirst().map(String.init)
        rest = String(decoding: body.dropFirst(word.count), as: UTF8.self)
        isTime = word.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
    }

    func isKnown(_ dialect: MarkupText.Dialect) -> Bool {
        switch dialect {
        case .subRip: ["b", "i", "u", "s", "font", "br", "c"].contains(name)
        // What is no tag of WebVTT is not shown by anybody.
        case .webVTT: true
        }
    }

    func attribute(_ wanted: String) -> String? {
        guard let mark = rest.lowercased().firstRange(of: wanted + "=")?.upperBound else { return nil }
        let offset = rest.lowercased().utf8.distance(from: rest.lowercased().startIndex, to: mark)
        let value = rest.utf8.dropFirst(offset)
        guard let quote = value.first else { return nil }
        let isQuoted = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        let part = isQuoted ? value.dropFirst().prefix { $0 != quote } : value.prefix { $0 > 0x20 }
        return String(decoding: part, as: UTF8.self).trimmed
    }
}

extension StringProtocol {
    /// Without blanks at both ends.
    var trimmed: String {
        func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }
        var bytes = Array(utf8)[...]
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
