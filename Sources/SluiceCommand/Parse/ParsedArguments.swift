/// A command line that fits its ``CommandSpec``: every value is of its kind, every required argument is there.
///
/// Asking for an option or argument that the spec does not have is a mistake of the command and traps.
public struct ParsedArguments: Sendable {
    let spec: CommandSpec
    var values: [String: [String]] = [:]
    var words: [String: [String]] = [:]
    /// What stood after `--`, for commands that take it.
    public internal(set) var rest: [String] = []

    init(spec: CommandSpec) { self.spec = spec }

    /// Whether a flag was given.
    public func flag(_ name: String) -> Bool { !texts(name).isEmpty }
    /// The option's value, else its default.
    public func string(_ name: String) -> String? { texts(name).last ?? option(name).defaultText }
    /// The value of an `integer` option.
    public func integer(_ name: String) -> Int? { string(name).flatMap { Int($0) } }
    /// The value of a `number` option.
    public func number(_ name: String) -> Double? { string(name).flatMap { Double($0) } }
    /// The value of a `duration` option.
    public func duration(_ name: String) -> Duration? { string(name).flatMap(ValueText.duration) }
    /// The value of a `byteSize` option, in bytes.
    public func byteSize(_ name: String) -> Int? { string(name).flatMap(ValueText.byteSize) }
    /// All values of a repeated option.
    public func strings(_ name: String) -> [String] { texts(name) }
    /// All pairs of a repeated `keyValue` option, in order.
    public func pairs(_ name: String) -> [(key: String, value: String)] {
        texts(name).compactMap { text in
            guard let mark = text.firstIndex(of: "=") else { return nil }
            return (String(text[..<mark]), String(text[text.index(after: mark)...]))
        }
    }
    /// A positional argument; nil only where it is optional.
    public func argument(_ name: String) -> String? { arguments(name).first }
    /// All values of a positional argument that may be given many times.
    public func arguments(_ name: String) -> [String] {
        guard spec.positionals.contains(where: { $0.name == name }) else {
            preconditionFailure("command '\(spec.name)' declares no argument '\(name)'")
        }
        return words[name] ?? []
    }

    private func texts(_ name: String) -> [String] {
        _ = option(name)
        return values[name] ?? []
    }

    private func option(_ name: String) -> OptionSpec {
        guard let option = spec.allOptions.first(where: { $0.name == name }) else {
            preconditionFailure("command '\(spec.name)' declares no option '\(name)'")
        }
        return option
    }
}
