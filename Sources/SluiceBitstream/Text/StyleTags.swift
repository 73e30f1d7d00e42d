extension TextRun {
    /// `content` within the tags of the run's style, which WebVTT and SubRip share but for that of the colour.
    ///
    /// - Parameter colorTag: name and annotation of the tag of a colour.
    func tagged(_ content: String, colorTag: (TextColor) -> (name: String, annotation: String)) -> String {
        var (opening, closing) = ("", "")
        func wrap(_ name: String, _ annotation: String = "") {
            opening += "<\(name)\(annotation)>"
            closing = "</\(name)>" + closing
        }
        if let color = style.color {
            let tag = colorTag(color)
            wrap(tag.name, tag.annotation)
        }
        if style.isBold { wrap("b") }
        if style.isItalic { wrap("i") }
        if style.isUnderlined { wrap("u") }
        return opening + content + closing
    }
}

extension TextColor {
    /// `rrggbb`.
    var digits: String {
        let digits = String(rgb, radix: 16)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }

    /// `#rrggbb`.
    package var text: String { "#" + digits }
}
