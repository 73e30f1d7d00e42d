import SluiceCore

/// Reads the words after the command's name against its ``CommandSpec``.
///
/// `--name value`, `--name=value`, `-n value`; `-` alone is a word; after `--` everything is a word. A value may begin
/// with a dash unless it is the name of an option of the command.
public enum CommandParser {
    public static func parse(_ arguments: [String], spec: CommandSpec) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments(spec: spec)
        var words: [String] = []
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--" {
                if spec.takesRest {
                    parsed.rest = Array(arguments[index...])
                } else {
                    words += arguments[index...]
                }
                break
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                words.append(argument)
                continue
            }
            let (option, inline) = try find(argument, spec)
            var text = inline
            if !option.isFlag, text == nil {
                guard index < arguments.count, !isOption(arguments[index], spec) else {
                    throw UsageError(.missingValue, "option '--\(option.name)' needs a value")
                }
                text = arguments[index]
                index += 1
            }
            try store(text, option, &parsed)
        }
        if !parsed.flag("help") { try distribute(words, spec, &parsed) }
        return parsed
    }

    private static func find(_ argument: String, _ spec: CommandSpec) throws(UsageError) -> (OptionSpec, String?) {
        if !argument.hasPrefix("--") {
            let letters = argument.dropFirst()
            if letters.count == 1, let found = spec.allOptions.first(where: { $0.short == letters.first }) {
                return (found, nil)
            }
            throw UsageError(.unknownOption, "unknown option '\(argument)'")
        }
        let body = argument.dropFirst(2)
        let mark = body.firstIndex(of: "=")
        let name = String(mark.map { body[..<$0] } ?? body)
        guard let found = spec.allOptions.first(where: { $0.name == name }) else {
            let near = Suggestion.nearest(to: name, among: spec.allOptions.map(\.name))
            throw UsageError(.unknownOption, "unknown option '--\(name)'", hint: near.map { "did you mean '--\($0)'?" })
        }
        return (found, mark.map { String(body[body.index(after: $0)...]) })
    }

    private static func isOption(_ argument: String, _ spec: CommandSpec) -> Bool {
        if argument == "--" { return true }
        return spec.allOptions.contains { option in
            argument == "--\(option.name)" || argument.hasPrefix("--\(option.name)=")
                || option.short.map { argument == "-\($0)" } ?? false
        }
    }

    private static func store(
        _ text: String?, _ option: OptionSpec, _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        guard !option.isFlag else {
            if text != nil { throw UsageError(.unexpectedValue, "option '--\(option.name)' takes no value") }
            parsed.values[option.name] = [""]
            return
        }
        let text = text ?? ""
        if let complaint = ValueText.complaint(text, as: option.kind) {
            var hint: String?
            if case .choice(let words) = option.kind {
                hint = Suggestion.nearest(to: text, among: words).map { "did you mean '\($0)'?" }
            }
            throw UsageError(.invalidValue, "'--\(option.name) \(text)': must be \(complaint)", hint: hint)
        }
        if !option.repeats, parsed.values[option.name] != nil {
            throw UsageError(.repeatedOption, "option '--\(option.name)' is given twice")
        }
        parsed.values[option.name, default: []].append(text)
    }

    /// Hands words to positionals from the left; a repeating one takes all that the ones after it do not need.
    private static func distribute(
        _ words: [String], _ spec: CommandSpec, _ parsed: inout ParsedArguments
    ) throws(UsageError) {
        var left = words[...]
        for (index, positional) in spec.positionals.enumerated() {
            let needed = spec.positionals[(index + 1)...].count { $0.count == .one || $0.count == .atLeastOne }
            let available = max(0, left.count - needed)
            let taken: Int
            switch positional.count {
            case .one: taken = min(1, left.count)
            case .optional: taken = min(1, available)
            case .any, .atLeastOne: taken = available
            }
            if taken == 0, positional.count == .one || positional.count == .atLeastOne {
                throw UsageError(.missingArgument, "missing <\(positional.name)>: \(positional.summary)")
            }
            if left.prefix(taken).contains("") {
                throw UsageError(.invalidValue, "<\(positional.name)> is empty", hint: positional.summary)
            }
            parsed.words[positional.name] = Array(left.prefix(taken))
            left = left.dropFirst(taken)
        }
        if let extra = left.first {
            throw UsageError(.unexpectedArgument, "unexpected argument '\(extra)'")
        }
    }
}
