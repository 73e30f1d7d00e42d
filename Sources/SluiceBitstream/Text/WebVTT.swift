/// WebVTT files and the cues of packets.
///
/// - Note: W3C WebVTT: The Web Video Text Tracks Format, §4 and §6.
package enum WebVTT {
    /// - Parameters:
    ///   - settings: as behind the times of a cue, or as the packet's side data.
    package static func cue(
        _ bytes: some Collection<UInt8>, settings: some Collection<UInt8>, start: Int64, end: Int64?
    ) -> TextCue? {
        let text = String(decoding: bytes.prefix { $0 != 0 }.prefix(TextLimits.cueBytes * 4), as: UTF8.self)
            .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let parsed = MarkupText.parse(text, .webVTT)
        guard !parsed.text.isEmpty else { return nil }
        let settings = WebVTTSettings(settings)
        return TextCue(
            start: start, end: end, text: parsed.text, placement: settings.placement,
            settings: settings.isEmpty ? nil : settings)
    }

    /// The cues of a file in its order; none where it does not begin with `WEBVTT`.
    ///
    /// - Parameter bytes: UTF-8 without a mark; see ``TextDecoding``.
    package static func cues(_ bytes: [UInt8]) -> [TextCue] {
        var cues: [TextCue] = []
        var offset: Int64 = 0
        var isHeader = true
        var current: (start: Int64, end: Int64, settings: ArraySlice<UInt8>)?
        var lines: [ArraySlice<UInt8>] = []
        var held = 0
        func close() {
            defer {
                lines.removeAll(keepingCapacity: true)
                held = 0
                current = nil
            }
            guard let current, current.end > current.start else { return }
            let cue = cue(
                Array(lines.joined(separator: [0x0A])), settings: current.settings, start: current.start &+ offset,
                end: current.end &+ offset)
            if let cue { cues.append(cue) }
        }
        for (number, line) in TextLines(bytes).enumerated() {
            if number == 0 {
                guard isSignature(line) else { return [] }
                continue
            }
            guard !line.isEmpty else {
                close()
                isHeader = false
                continue
            }
            if isHeader, let found = mapOffset(line) { offset = found }
            if let found = TextTime.range(line) {
                // A line of times ends a cue even without a blank line before it.
                close()
                guard cues.count < TextLimits.cues else { return cues }
                isHeader = false
                current = (found.start, found.end, found.rest)
            } else if current != nil, held < TextLimits.cueBytes * 4 {
                lines.append(line.prefix(TextLimits.cueBytes * 4))
                held += line.count + 1
            }
        }
        close()
        return cues
    }

    private static func isSignature(_ line: ArraySlice<UInt8>) -> Bool {
        line.starts(with: Array("WEBVTT".utf8)) && (line.dropFirst(6).first.map { $0 == 0x20 || $0 == 0x09 } ?? true)
    }

    /// Milliseconds that `X-TIMESTAMP-MAP` adds to the times of the file.
    ///
    /// - Note: RFC 8216 §3.5.
    private static func mapOffset(_ line: ArraySlice<UInt8>) -> Int64? {
        let text = String(decoding: line.prefix(256), as: UTF8.self)
        guard text.hasPrefix("X-TIMESTAMP-MAP=") else { return nil }
        var ticks: Int64 = 0
        var local: Int64 = 0
        for part in text.dropFirst(16).split(separator: ",") {
            let part = part.trimmed
            if part.hasPrefix("MPEGTS:"), let value = Int64(part.dropFirst(7)), (0..<(1 << 33)).contains(value) {
                ticks = value
            } else if part.hasPrefix("LOCAL:"), let value = TextTime.milliseconds(part.dropFirst(6).utf8) {
                local = value
            }
        }
        return ticks / 90 - local
    }
}

/// The settings of a WebVTT cue that were understood, in a fixed order.
///
/// - Note: W3C WebVTT §4.4. Regions are not kept: their definitions stand elsewhere in the file.
package struct WebVTTSettings: Sendable, Hashable {
    /// `rl` or `lr`.
    package var vertical: String?
    /// A line number, or a share in percent.
    package var line: String?
    /// `start`, `center` or `end`; only with `line`.
    package var lineAlignment: String?
    /// Percent.
    package var position: String?
    package var positionAlignment: String?
    package var size: String?
    package var align: String?

    package init() {}

    init(_ bytes: some Collection<UInt8>) {
        for word in TextTime.words(Array(bytes.prefix(512))[...]).prefix(16) {
            let parts = String(decoding: word, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            let values = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "vertical" where ["rl", "lr"].contains(parts[1]): vertical = parts[1]
            case "line" where values.count <= 2:
                guard let first = values.first, Self.percent(first) != nil || Self.isNumber(first) else { continue }
                line = first
                lineAlignment = values.dropFirst().first.flatMap { ["start", "center", "end"].contains($0) ? $0 : nil }
            case "position" where values.count <= 2:
                guard let first = values.first, Self.percent(first) != nil else { continue }
                position = first
                positionAlignment = values.dropFirst().first.flatMap {
                    ["line-left", "center", "line-right"].contains($0) ? $0 : nil
                }
            case "size" where Self.percent(parts[1]) != nil: size = parts[1]
            case "align":
                // `middle` is what drafts called `center`.
                let value = parts[1] == "middle" ? "center" : parts[1]
                if ["start", "center", "end", "left", "right"].contains(value) { align = value }
            default: break
            }
        }
    }

    package var isEmpty: Bool { self == WebVTTSettings() }

    /// As behind the times of a cue, with a blank before each; empty where there are none.
    package var text: String {
        var words: [String] = []
        if let vertical { words.append("vertical:\(vertical)") }
        if let line { words.append("line:\(line)" + (lineAlignment.map { ",\($0)" } ?? "")) }
        if let position { words.append("position:\(position)" + (positionAlignment.map { ",\($0)" } ?? "")) }
        if let size { words.append("size:\(size)") }
        if let align { words.append("align:\(align)") }
        return words.map { " " + $0 }.joined()
    }

    /// What the settings say of row, column and point.
    ///
    /// - Note: behaviours SB-31, TX-04. Vertical text has no place in rows and columns.
    var placement: CuePlacement? {
        guard vertical == nil, align != nil || line != nil || position != nil else { return nil }
        let column =
            switch align {
            case "start", "left": 0
            case "end", "right": 2
            default: 1
            }
        var row = 0
        var y: Double?
        if let share = line.flatMap(Self.percent) {
            let value = share / 100
            y = value
            let middle = lineAlignment == "center"
            row =
                lineAlignment == "start"
                ? 2 : lineAlignment == "end" ? 0 : middle ? 1 : value < 1.0 / 3 ? 2 : value < 2.0 / 3 ? 1 : 0
        } else if let number = line.flatMap(Int.init) {
            row = number >= 0 ? 2 : 0
        }
        let x = position.flatMap(Self.percent).map { $0 / 100 } ?? [0, 0.5, 1][column]
        return CuePlacement(alignment: row * 3 + column + 1, anchor: y.map { CueAnchor(x: x, y: $0) })
    }

    /// A number from 0 to 100 with a percent sign; nil for anything else.
    static func percent(_ text: String) -> Double? {
        guard text.hasSuffix("%"), text.utf8.count <= 12 else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let value = Double(digits), (0...100).contains(value)
        else { return nil }
        return value
    }

    private static func isNumber(_ text: String) -> Bool {
        let digits = text.drop { $0 == "-" }
        return text.utf8.count - digits.utf8.count <= 1 && (1...4).contains(digits.utf8.count)
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
