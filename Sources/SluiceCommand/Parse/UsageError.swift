/// A command line that cannot be understood. Leads to exit code 2.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, Hashable {
        case unknownCommand = "unknown-command"
        case unknownOption = "unknown-option"
        case missingValue = "missing-value"
        case unexpectedValue = "unexpected-value"
        case invalidValue = "invalid-value"
        case repeatedOption = "repeated-option"
        case missingArgument = "missing-argument"
        case unexpectedArgument = "unexpected-argument"
    }

    public let code: Code
    public let message: String
    /// What was probably meant, or where to read on.
    public let hint: String?

    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    public var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
