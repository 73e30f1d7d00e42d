/// What the header of an ASS or SSA script says: resolution and styles. It turns event lines into cues.
///
/// - Note: behaviours SB-25 to SB-34, TX-05.
package struct ASSScript: Sendable {
    struct Style: Sendable {
        var text = TextStyle()
        var alignment = 2
    }

    private var width = 384.0
    private var height = 288.0
    private var styles: [String: Style] = [:]
    /// Names of the fields of a `Dialogue` line, in lower case; the last one takes the rest of the line.
    private var eventFields = Self.defaultFields

    private static let defaultFields = [
        "layer", "start", "end", "style", "name", "marginl", "marginr", "marginv", "effect", "text",
    ]
    private static let styleLimit = 4_096

    /// - Parameter header: the script up to its events, or all of it; at most the first 4 MiB count.
    package init(header: [UInt8]) { _ = read(header[...].prefix(4 << 20), events: false) }

    /// The cues of a whole script, by their start.
    ///
    /// - Parameter bytes: UTF-8 without a mark; see ``TextDecoding``.
    package static func cues(_ bytes: [UInt8]) -> [TextCue] {
        var script = ASSScript(header: [])
        return script.read(bytes[...], events: true).sorted { $0.start < $1.start }
    }

    /// A packet's event: `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`.
    package func cue(event: [UInt8], start: Int64, end: Int64?) -> TextCue? {
        let line = event.prefix { $0 != 0 }
        if line.starts(with: Array("Dialogue:".utf8)) {
            // Old muxers kept the whole line.
            let fields = Self.fields(line.dropFirst(9), count: 10)
            guard fields.count == 10 else { return nil }
            return cue(fields[9], style: fields[3], start: start, end: end)
        }
        let fields = Self.fields(line, count: 9)
        guard fields.count == 9, Int(String(decoding: fields[0], as: UTF8.self).trimmed) != nil else { return nil }
        return cue(fields[8], style: fields[2], start: start, end: end)
    }

    // MARK: - Private

    private mutating func read(_ bytes: ArraySlice<UInt8>, events: Bool) -> [TextCue] {
        var cues: [TextCue] = []
        var section = ""
        var styleFields: [String] = []
        for line in TextLines(bytes) {
            let head = line.prefix(4_096)
            if head.first == UInt8(ascii: "[") {
                section = String(decoding: head, as: UTF8.self).trimmed.lowercased()
                continue
            }
            guard let colon = head.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let key = String(decoding: head[..<colon], as: UTF8.self).trimmed.lowercased()
            let value = line[(colon + 1)...]
            switch (section, key) {
            case (_, "playresx"): width = Self.size(value) ?? width
            case (_, "playresy"): height = Self.size(value) ?? height
            case ("[v4+ styles]", "format"), ("[v4 styles]", "format"): styleFields = Self.names(value)
            case ("[v4+ styles]", "style"), ("[v4 styles]", "style"):
                if styles.count < Self.styleLimit { addStyle(value, styleFields, isLegacy: section == "[v4 styles]") }
            case ("[events]", "format"):
                let names = Self.names(value)
                if names.last == "text", names.contains("start"), names.contains("end") { eventFields = names }
            case ("[events]", "dialogue") where events:
                guard cues.count < TextLimits.cues else { return cues }
                if let cue = dialogue(value) { cues.append(cue) }
            default: break
            }
        }
        return cues
    }

    private func dialogue(_ line: ArraySlice<UInt8>) -> TextCue? {
        let fields = Self.fields(line, count: eventFields.count)
        guard fields.count == eventFields.count else { return nil }
        func field(_ name: String) -> ArraySlice<UInt8>? { eventFields.firstIndex(of: name).map { fields[$0] } }
        func time(_ name: String) -> Int64? {
            field(name).flatMap { TextTime.milliseconds(String(decoding: $0, as: UTF8.self).trimmed.utf8) }
        }
        guard let start = time("start"), let end = time("end"), end > start, let text = field("text") else {
            return nil
        }
        return cue(text, style: field("style") ?? [], start: start, end: end)
    }

    private func cue(_ text: ArraySlice<UInt8>, style name: ArraySlice<UInt8>, start: Int64, end: Int64?) -> TextCue? {
        // VSFilter writes an asterisk before names it made up.
        let name = String(decoding: name.prefix(256), as: UTF8.self).trimmed.drop { $0 == "*" }
        let style = styles[name.lowercased()] ?? styles["default"] ?? Style()
        var builder = CueTextBuilder()
        builder.style = style.text
        var alignment: Int?
        var position: (x: Double, y: Double)?
        var isDrawing = false
        var place = text.startIndex
        var plain = place
        // Braces behind the last closing one open nothing: nobody looks for their ends.
        let lastClosing = text.lastIndex(of: UInt8(ascii: "}")) ?? text.startIndex
        func flush(_ end: Int) {
            if plain < end, !isDrawing { builder.append(Self.unescaped(text[plain..<end])) }
        }
        while place < text.endIndex, !builder.isFull {
            guard text[place] == UInt8(ascii: "{"), place < lastClosing,
                let end = text[place...].firstIndex(of: UInt8(ascii: "}"))
            else {
                place += 1
                continue
            }
            flush(place)
            if let first = text[place..<end].firstIndex(of: UInt8(ascii: "\\")) {
                let block = ASSOverrides(text[first..<end])
                let base = block.resetStyle.flatMap { styles[$0.lowercased()]?.text } ?? style.text
                block.apply(to: &builder.style, base: base)
                alignment = alignment ?? block.alignment
                position = position ?? block.position
                if let drawing = block.drawing { isDrawing = drawing > 0 }
            }
            place = end + 1
            plain = place
        }
        flush(place)
        let found = builder.finished()
        guard !found.isEmpty else { return nil }
        var placement: CuePlacement?
        let keypad = alignment ?? style.alignment
        if let position {
            placement = CuePlacement(
                alignment: keypad, anchor: CueAnchor(x: position.x / width, y: position.y / height))
        } else if keypad != 2 {
            placement = CuePlacement(alignment: keypad)
        }
        return TextCue(start: start, end: end, text: found, placement: placement)
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.prefix(TextLimits.cueBytes * 2), as: UTF8.self)
            .replacing("\\N", with: "\n").replacing("\\n", with: " ").replacing("\\h", with: "\u{A0}")
    }

    private mutating func addStyle(_ value: ArraySlice<UInt8>, _ names: [String], isLegacy: Bool) {
        let fields = Self.fields(value, count: max(names.count, 1)).map {
            String(decoding: $0.prefix(256), as: UTF8.self).trimmed
        }
        func field(_ name: String) -> String? {
            names.firstIndex(of: name).flatMap { fields.indices.contains($0) ? fields[$0] : nil }
        }
        guard let name = field("name") else { return }
        var style = Style()
        func isOn(_ name: String) -> Bool { field(name).flatMap { Int($0) }.map { $0 != 0 } ?? false }
        style.text.isBold = isOn("bold")
        style.text.isItalic = isOn("italic")
        style.text.isUnderlined = isOn("underline")
        if let color = field("primarycolour").flatMap(Self.color), color != TextColor(rgb: 0xFFFFFF) {
            style.text.color = color
        }
        if let value = field("alignment").flatMap({ Int($0) }) {
            style.alignment = (isLegacy ? ASSOverrides.legacy(value) : (1...9).contains(value) ? value : nil) ?? 2
        }
        styles[name.drop { $0 == "*" }.lowercased()] = style
    }

    /// `&HAABBGGRR`, or the decimal number of SSA.
    private static func color(_ text: String) -> TextColor? {
        if text.hasPrefix("&") { return ASSOverrides.color(text) }
        guard let value = Int64(text) else { return nil }
        return ASSOverrides.color(String(UInt32(truncatingIfNeeded: value), radix: 16))
    }

    private static func size(_ value: ArraySlice<UInt8>) -> Double? {
        Double(String(decoding: value.prefix(32), as: UTF8.self).trimmed).flatMap {
            (1...65_536).contains($0) ? $0 : nil
        }
    }

    private static func names(_ value: ArraySlice<UInt8>) -> [String] {
        value.split(separator: UInt8(ascii: ","), maxSplits: 63).map {
            String(decoding: $0, as: UTF8.self).trimmed.lowercased()
        }
    }

    private static func fields(_ line: ArraySlice<UInt8>, count: Int) -> [ArraySlice<UInt8>] {
        line.split(separator: UInt8(ascii: ","), maxSplits: max(0, count - 1), omittingEmptySubsequences: false)
    }
}
