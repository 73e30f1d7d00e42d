import SluiceCore
import SluiceDataflow

/// Reads option values from JSON and from the command line by the type that was declared for them.
enum OptionReader {
    /// What is wrong with a value.
    struct Problem: Error {
        var code: GraphDiagnostic.Code
        var message: String
        var hint: String?
    }

    /// The value of `node` as one of `kind`, within its range. Byte sizes may be plain numbers of bytes.
    static func read(_ node: JSONNode, as kind: OptionDescriptor.Kind) -> Result<OptionValue, Problem> {
        let value: OptionValue? =
            switch (kind, node.content) {
            case (.boolean, .boolean(let value)): .boolean(value)
            case (.integer, .integer(let value)): .integer(value)
            case (.real, .integer(let value)): .real(Double(value))
            case (.real, .real(let value)): .real(value)
            case (.string, .string(let text)), (.choice, .string(let text)): .string(text)
            case (.duration, .string(let text)): Units.duration(text).map { .duration($0) }
            case (.byteSize, .string(let text)): Units.byteSize(text).map { .byteSize($0) }
            case (.byteSize, .integer(let value)): .byteSize(value)
            case (.stringList, .array(let elements)): strings(elements).map { .stringList($0) }
            default: nil
            }
        guard let value else {
            if case .string(let text) = node.content, let limit = limit(text, kind) {
                return .failure(tooLarge(text, limit))
            }
            let found =
                if case .string(let text) = node.content { "'\(text.prefix(80))'" } else {
                    "a value of type \(node.typeName)"
                }
            return .failure(Problem(code: .optionType, message: "\(found) is not \(expected(kind))"))
        }
        return check(value, as: kind)
    }

    /// The value of `text`, as the command line writes it: lists separated by commas, everything else as in files.
    static func read(text: String, as kind: OptionDescriptor.Kind) -> Result<OptionValue, Problem> {
        let value: OptionValue? =
            switch kind {
            case .boolean: ["true": .boolean(true), "false": .boolean(false)][text]
            case .integer: Int(text).map { .integer($0) }
            case .real: Double(text).flatMap { $0.isFinite ? .real($0) : nil }
            case .string, .choice: .string(text)
            case .duration: Units.duration(text).map { .duration($0) }
            case .byteSize: (Units.byteSize(text) ?? Int(text)).map { .byteSize($0) }
            case .stringList: .stringList(text.isEmpty ? [] : text.split(separator: ",").map(String.init))
            }
        guard let value else {
            if let limit = limit(text, kind) { return .failure(tooLarge(text, limit)) }
            return .failure(
                Problem(code: .optionType, message: "'\(text.prefix(80))' is not \(expected(kind))"))
        }
        return check(value, as: kind)
    }

    /// `value` if it is of `kind` and in range.
    static func check(_ value: OptionValue, as kind: OptionDescriptor.Kind) -> Result<OptionValue, Problem> {
        switch OptionDescriptor("", kind, "").mismatch(value) {
        case nil: return .success(value)
        case .type?:
            return .failure(Problem(code: .optionType, message: "'\(value)' is not \(expected(kind))"))
        case .range(let range)?:
            var problem = Problem(code: .optionRange, message: "'\(short(value))' is out of range; expected \(range)")
            if case .choice(let names) = kind { problem.hint = Suggestion.nearest(to: value.description, among: names) }
            return .failure(problem)
        }
    }

    /// `value`, made the type that `kind` wants where that loses nothing.
    static func widened(_ value: OptionValue, for kind: OptionDescriptor.Kind) -> OptionValue {
        if case (.real, .integer(let number)) = (kind, value) { return .real(Double(number)) }
        return value
    }

    /// Whether a value of the type `given` can be used where `kind` is wanted.
    static func accepts(_ kind: OptionDescriptor.Kind, typeName given: String) -> Bool {
        switch kind {
        case .string, .choice: given == "string" || given == "choice"
        case .real: given == "real" || given == "integer"
        default: given == kind.typeName
        }
    }

    /// What a value of `kind` looks like, for messages.
    static func expected(_ kind: OptionDescriptor.Kind) -> String {
        switch kind {
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a number"
        case .string: "a string"
        case .choice(let names): "a string, one of \(names.joined(separator: ", "))"
        case .duration: "a duration such as '4s'"
        case .byteSize: "a byte size such as '16MiB'"
        case .stringList: "a list of strings"
        }
    }

    /// The most that a well written `text` could be, where it is more; nil where that is not what is wrong with it.
    static func limit(_ text: String, _ kind: OptionDescriptor.Kind) -> String? {
        switch kind {
        case .duration: if case .tooLarge = Units.readDuration(text) { "1000 days" } else { nil }
        case .byteSize: if case .tooLarge = Units.readByteSize(text) { "4194304TiB" } else { nil }
        default: nil
        }
    }

    private static func tooLarge(_ text: String, _ limit: String) -> Problem {
        Problem(code: .optionRange, message: "'\(text.prefix(80))' is too large; expected at most \(limit)")
    }

    private static func short(_ value: OptionValue) -> String {
        let text = value.description
        return text.utf8.count <= 80 ? text : "\(text.prefix(40))… (\(text.utf8.count) bytes)"
    }

    private static func strings(_ elements: [JSONNode]) -> [String]? {
        var strings: [String] = []
        for element in elements {
            guard case .string(let text) = element.content else { return nil }
            strings.append(text)
        }
        return strings
    }
}
