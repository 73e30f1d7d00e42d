/// What an option's value may be; checked while parsing, so a command never sees a malformed one.
public enum ValueKind: Sendable, Hashable {
    case string
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// `250ms`, `4s`, `1.5m`, `2h`; a bare number is seconds. Never negative.
    case duration
    /// `4096`, `10MiB`, `2GiB`, `500kB`. Never negative.
    case byteSize
    case choice([String])
    /// `key=value`; the value may be empty and may contain further `=`.
    case keyValue
}

/// One option of a command: its spelling, its value and its line in the usage text.
public struct OptionSpec: Sendable, Hashable {
    /// Long name without the dashes.
    public let name: String
    /// Single letter alias, for the few options people type all day.
    public let short: Character?
    /// What stands for the value in the usage text; nil for a flag.
    public let placeholder: String?
    public let kind: ValueKind
    /// The value an absent option has, as one would type it.
    public let defaultText: String?
    public let repeats: Bool
    public let summary: String

    public var isFlag: Bool { placeholder == nil }

    /// An option without a value.
    public static func flag(_ name: String, short: Character? = nil, _ summary: String) -> OptionSpec {
        OptionSpec(
            name: name, short: short, placeholder: nil, kind: .string, defaultText: nil, repeats: false,
            summary: summary)
    }

    /// An option with one value; the last one given counts.
    public static func value(
        _ name: String, short: Character? = nil, _ placeholder: String, _ kind: ValueKind,
        default defaultText: String? = nil, _ summary: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, placeholder: placeholder, kind: kind, defaultText: defaultText, repeats: false,
            summary: summary)
    }

    /// An option that may be given many times; all values count, in order.
    public static func repeated(
        _ name: String, short: Character? = nil, _ placeholder: String, _ kind: ValueKind, _ summary: String
    ) -> OptionSpec {
        OptionSpec(
            name: name, short: short, placeholder: placeholder, kind: kind, defaultText: nil, repeats: true,
            summary: summary)
    }
}

/// One positional argument of a command.
public struct PositionalSpec: Sendable, Hashable {
    public enum Count: Sendable, Hashable { case one, optional, any, atLeastOne }
    public let name: String
    public let count: Count
    public let summary: String

    public init(_ name: String, _ count: Count, _ summary: String) {
        self.name = name
        self.count = count
        self.summary = summary
    }
}
