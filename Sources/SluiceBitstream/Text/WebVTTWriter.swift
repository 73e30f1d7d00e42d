/// Writes WebVTT segments: the same cues give the same bytes.
///
/// - Note: W3C WebVTT §4; RFC 8216 §3.5 (X-TIMESTAMP-MAP).
package struct WebVTTWriter: Sendable, Hashable {
    package enum Style: String, Sendable, Hashable, CaseIterable {
        /// Bold, italic, underline, colours and places are kept.
        case full
        /// Nothing but the text.
        case plain
    }

    package var style: Style
    /// Whether the header says that times are those of the media.
    package var mapsTime: Bool

    package init(style: Style = .full, mapsTime: Bool = true) {
        self.style = style
        self.mapsTime = mapsTime
    }

    /// A file with the cues in the order of their starts; cues with equal times, texts and places stand once.
    ///
    /// - Parameter cues: all with ends behind their starts; others are left out.
    package func text(_ cues: [TextCue]) -> String {
        var lines = "WEBVTT\n"
        if mapsTime { lines += "X-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n" }
        lines += "\n"
        let ordered = cues.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
        if style == .full { lines += styles(cues) }
        var seen: Set<TextCue> = []
        for (_, cue) in ordered {
            guard let end = cue.end, end > max(0, cue.start), seen.insert(cue).inserted else { continue }
            lines += "\(Self.time(cue.start)) --> \(Self.time(end))\(settings(cue))\n\(payload(cue.text))\n\n"
        }
        return lines
    }

    /// `hh:mm:ss.mmm`; times before 0 count as 0.
    package static func time(_ milliseconds: Int64) -> String {
        let value = max(0, milliseconds)
        func padded(_ number: Int64, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return "\(padded(value / 3_600_000, 2)):\(padded(value / 60_000 % 60, 2)):\(padded(value / 1_000 % 60, 2))."
            + padded(value % 1_000, 3)
    }

    // MARK: - Private

    /// Rules for the colours that have no class of their own.
    private func styles(_ cues: [TextCue]) -> String {
        var colors: Set<TextColor> = []
        for run in cues.lazy.flatMap(\.text.runs) {
            if let color = run.style.color, Self.names[color.rgb] == nil { colors.insert(color) }
        }
        guard !colors.isEmpty else { return "" }
        let rules = colors.sorted().map { "::cue(.\(Self.className($0))) { color: #\($0.digits) }\n" }
        return "STYLE\n\(rules.joined())\n"
    }

    private func settings(_ cue: TextCue) -> String {
        guard style == .full else { return "" }
        if let settings = cue.settings { return settings.text }
        guard let placement = cue.placement else { return "" }
        var settings = WebVTTSettings()
        settings.align = placement.column == 0 ? "start" : placement.column == 2 ? "end" : nil
        if let anchor = placement.anchor {
            settings.line = Self.percent(anchor.y)
            settings.lineAlignment = ["end", "center", nil][placement.row]
            settings.position = Self.percent(anchor.x)
        } else {
            settings.line = [nil, "50%", "0"][placement.row]
            if placement.row == 1 { settings.lineAlignment = "center" }
        }
        return settings.text
    }

    private func payload(_ text: CueText) -> String {
        var result = ""
        for run in text.runs {
            let escaped = Self.escaped(run.text)
            guard style == .full else {
                result += escaped
                continue
            }
            result += run.tagged(escaped) { ("c", ".\(Self.className($0))") }
        }
        return result
    }

    /// Nothing in a text can end its cue, begin another, or be markup.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\u{A0}": result += "&nbsp;"
            case "\r": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        if rest == 0 { return "\(whole)%" }
        return rest % 10 == 0 ? "\(whole).\(rest / 10)%" : "\(whole).\(rest < 10 ? "0" : "")\(rest)%"
    }

    /// The classes that every player has colours for.
    ///
    /// - Note: W3C WebVTT §5.1.
    private static let names: [UInt32: String] = [
        0xFFFFFF: "white", 0x00FF00: "lime", 0x00FFFF: "cyan", 0xFF0000: "red", 0xFFFF00: "yellow",
        0xFF00FF: "magenta", 0x0000FF: "blue", 0x000000: "black",
    ]

    private static func className(_ color: TextColor) -> String { names[color.rgb] ?? "c" + color.digits }
}
