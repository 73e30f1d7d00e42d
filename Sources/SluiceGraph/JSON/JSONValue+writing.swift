import SluiceCore

extension JSONValue {
    /// How the text is laid out.
    public enum Layout: Sendable {
        /// One line, no spaces.
        case compact
        /// Two spaces a level, one member or element a line.
        case pretty
    }

    /// The value as JSON text without a final newline.
    ///
    /// - Note: RFC 8259; everything but `"`, `\` and what could steer a terminal is written as it is, in UTF-8.
    public func encoded(_ layout: Layout = .compact) -> String {
        var text = ""
        write(to: &text, layout: layout, level: 0)
        return text
    }

    private func write(to text: inout String, layout: Layout, level: Int) {
        switch self {
        case .null: text += "null"
        case .boolean(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .real(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quote(value, to: &text)
        case .array(let elements):
            Self.list(elements, between: ("[", "]"), to: &text, layout: layout, level: level) { element, text in
                element.write(to: &text, layout: layout, level: level + 1)
            }
        case .object(let members):
            Self.list(members, between: ("{", "}"), to: &text, layout: layout, level: level) { member, text in
                Self.quote(member.key, to: &text)
                text += layout == .pretty ? ": " : ":"
                member.value.write(to: &text, layout: layout, level: level + 1)
            }
        }
    }

    private static func list<Element>(
        _ elements: [Element], between brackets: (String, String), to text: inout String, layout: Layout, level: Int,
        each: (Element, inout String) -> Void
    ) {
        text += brackets.0
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if layout == .pretty { text += "\n" + String(repeating: "  ", count: level + 1) }
            each(element, &text)
        }
        if layout == .pretty, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: level) }
        text += brackets.1
    }

    private static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case let scalar where TerminalText.isHarmful(scalar):
                let digits = String(scalar.value, radix: 16, uppercase: true)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
