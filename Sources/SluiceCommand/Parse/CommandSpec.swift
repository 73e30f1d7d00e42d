/// Everything the parser and the usage text know about a command.
public struct CommandSpec: Sendable, Hashable {
    /// Words that select the command: `serve`, `graph validate`.
    public let path: [String]
    public let summary: String
    public let positionals: [PositionalSpec]
    /// The command's own options; `--json` and `--help` are added to every command.
    public let options: [OptionSpec]
    /// Paragraphs shown under the options.
    public let discussion: String
    /// Whether words after `--` are handed to the command unread (`ParsedArguments.rest`).
    public let takesRest: Bool

    public init(
        _ name: String, _ summary: String, positionals: [PositionalSpec] = [], options: [OptionSpec] = [],
        discussion: String = "", takesRest: Bool = false
    ) {
        path = name.split(separator: " ").map(String.init)
        self.summary = summary
        self.positionals = positionals
        self.options = options
        self.discussion = discussion
        self.takesRest = takesRest
    }

    public var name: String { path.joined(separator: " ") }

    static let common: [OptionSpec] = [
        .flag("json", "Print the result as JSON."),
        .flag("help", short: "h", "Print this text."),
    ]

    var allOptions: [OptionSpec] { options + Self.common }
}

extension CommandSpec {
    /// The text of `--help`, at most 100 columns wide.
    public func usage(program: String) -> String {
        var line = "usage: \(program) \(name)"
        if !options.isEmpty { line += " [options]" }
        for positional in positionals {
            switch positional.count {
            case .one: line += " <\(positional.name)>"
            case .optional: line += " [<\(positional.name)>]"
            case .any: line += " [<\(positional.name)>…]"
            case .atLeastOne: line += " <\(positional.name)>…"
            }
        }
        if takesRest { line += " [-- …]" }

        var text = "\(line)\n\n\(summary)\n"
        if !positionals.isEmpty {
            text += "\narguments:\n" + UsageTable.render(positionals.map { ("<\($0.name)>", $0.summary) })
        }
        text += "\noptions:\n" + UsageTable.render(allOptions.map { ($0.usageHead, $0.usageSummary) })
        if !discussion.isEmpty { text += "\n\(discussion)\n" }
        return text
    }
}

extension OptionSpec {
    var usageHead: String {
        let alias = short.map { "-\($0), " } ?? "    "
        return alias + "--\(name)" + (placeholder.map { " <\($0)>" } ?? "")
    }

    var usageSummary: String {
        var notes: [String] = []
        if case .choice(let words) = kind { notes.append(words.joined(separator: " | ")) }
        if let defaultText { notes.append("default \(defaultText)") }
        if repeats { notes.append("may be repeated") }
        return notes.isEmpty ? summary : "\(summary) (\(notes.joined(separator: "; ")))"
    }
}

/// Two columns, the second wrapped under itself.
enum UsageTable {
    static let width = 100

    static func render(_ rows: [(head: String, text: String)]) -> String {
        let column = min(34, (rows.map(\.head.count).max() ?? 0) + 4)
        var out = ""
        for (head, text) in rows {
            var line = "  " + head
            line += line.count < column ? String(repeating: " ", count: column - line.count) : "  "
            for word in text.split(separator: " ") {
                if line.count + 1 + word.count > width {
                    out += trimmed(line) + "\n"
                    line = String(repeating: " ", count: column)
                }
                line += word + " "
            }
            out += trimmed(line) + "\n"
        }
        return out
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
