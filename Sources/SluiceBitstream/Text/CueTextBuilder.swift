/// Collects the runs of a cue: joins what has one style, bounds what there is, and tidies lines.
struct CueTextBuilder {
    var style = TextStyle()
    private var runs: [TextRun] = []
    private var bytes = 0

    init() {}

    mutating func append(_ text: String) {
        guard !text.isEmpty, bytes < TextLimits.cueBytes else { return }
        var text = text
        if bytes + text.utf8.count > TextLimits.cueBytes {
            text = String(decoding: text.utf8.prefix(TextLimits.cueBytes - bytes), as: UTF8.self)
        }
        bytes += text.utf8.count
        if let last = runs.indices.last, runs[last].style == style || runs.count >= TextLimits.runs {
            runs[last].text += text
        } else {
            runs.append(TextRun(text: text, style: style))
        }
    }

    mutating func append(_ scalar: Unicode.Scalar) { append(String(Character(scalar))) }

    /// Whether nothing more is taken.
    var isFull: Bool { bytes >= TextLimits.cueBytes }

    /// The text without control characters, without blanks at the ends of lines, and without empty lines.
    func finished() -> CueText {
        var kept: [TextRun] = []
        // Blanks and line feeds wait until something follows them.
        var pending = TextRun(text: "")
        var isLineEmpty = true
        for run in runs {
            var text = ""
            func wait(_ scalar: Unicode.Scalar) {
                if pending.text.isEmpty { pending.style = run.style }
                pending.text.unicodeScalars.append(scalar)
            }
            for scalar in run.text.unicodeScalars {
                switch scalar {
                case "\n":
                    pending.text.removeAll()
                    if !kept.isEmpty || !text.isEmpty { wait(scalar) }
                    isLineEmpty = true
                case " ", "\t": if !isLineEmpty { wait(scalar) }
                case "\u{A0}": wait(scalar)
                case let other where other.value < 0x20 || other.value == 0x7F || other.value == 0xFEFF: break
                default:
                    if pending.style == run.style {
                        text += pending.text
                    } else if let last = kept.indices.last, kept[last].style == pending.style {
                        kept[last].text += pending.text
                    } else if !pending.text.isEmpty {
                        kept.append(pending)
                    }
                    pending.text.removeAll()
                    isLineEmpty = false
                    text.unicodeScalars.append(scalar)
                }
            }
            if !text.isEmpty { kept.append(TextRun(text: text, style: run.style)) }
        }
        return CueText(runs: kept)
    }
}
