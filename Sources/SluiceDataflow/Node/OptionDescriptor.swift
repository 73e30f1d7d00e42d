import SluiceCore

/// A value of an option after decoding.
public enum OptionValue: Sendable, Hashable, CustomStringConvertible {
    case boolean(Bool)
    case integer(Int)
    case real(Double)
    case string(String)
    case duration(Duration)
    case byteSize(Int)
    case stringList([String])

    public var description: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .real(let value): "\(value)"
        case .string(let value): value
        case .duration(let value): Units.text(value)
        case .byteSize(let value): Units.text(bytes: value)
        case .stringList(let value): value.joined(separator: ",")
        }
    }
}

/// An option of a node: type, range, default and documentation in one place.
///
/// The graph file's checks, `sluice nodes` and the JSON Schema all follow from this value.
public struct OptionDescriptor: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case boolean
        case integer(ClosedRange<Int>)
        case real(ClosedRange<Double>)
        /// At most `maximumLength` UTF-8 bytes.
        case string(maximumLength: Int = 4096)
        case choice([String])
        case duration(ClosedRange<Duration>)
        /// In bytes.
        case byteSize(ClosedRange<Int>)
        /// At most `maximumCount` strings.
        case stringList(maximumCount: Int = 256)

        /// Name of the type in graph files.
        public var typeName: String {
            switch self {
            case .boolean: "boolean"
            case .integer: "integer"
            case .real: "real"
            case .string: "string"
            case .choice: "choice"
            case .duration: "duration"
            case .byteSize: "byteSize"
            case .stringList: "stringList"
            }
        }
    }

    public let name: String
    public let kind: Kind
    /// Nil makes the option required.
    public let defaultValue: OptionValue?
    /// Whether `setOption` may change it while the graph runs.
    public let mutable: Bool
    public let summary: String

    public init(
        _ name: String, _ kind: Kind, default defaultValue: OptionValue? = nil, mutable: Bool = false, _ summary: String
    ) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.mutable = mutable
        self.summary = summary
    }

    /// Nil when `value` is of the option's type and in range; otherwise what was expected.
    public func mismatch(_ value: OptionValue) -> OptionMismatch? {
        switch (kind, value) {
        case (.boolean, .boolean): nil
        case (.integer(let range), .integer(let value)):
            range.contains(value) ? nil : .range("\(range.lowerBound) to \(range.upperBound)")
        case (.real(let range), .real(let value)):
            range.contains(value) ? nil : .range("\(range.lowerBound) to \(range.upperBound)")
        case (.string(let limit), .string(let value)):
            value.utf8.count <= limit ? nil : .range("at most \(limit) bytes")
        case (.choice(let names), .string(let value)):
            names.contains(value) ? nil : .range("one of \(names.joined(separator: ", "))")
        case (.duration(let range), .duration(let value)):
            range.contains(value)
                ? nil : .range("\(Units.text(range.lowerBound)) to \(Units.text(range.upperBound))")
        case (.byteSize(let range), .byteSize(let value)):
            range.contains(value)
                ? nil : .range("\(Units.text(bytes: range.lowerBound)) to \(Units.text(bytes: range.upperBound))")
        case (.stringList(let limit), .stringList(let value)):
            value.count <= limit ? nil : .range("at most \(limit) entries")
        default: .type(kind.typeName)
        }
    }
}

/// What is wrong with an option's value.
public enum OptionMismatch: Sendable, Hashable {
    /// Another type was expected.
    case type(String)
    /// The type fits, the value does not.
    case range(String)
}
