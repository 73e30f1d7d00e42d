import SluiceCore

/// One finding for a person or an editor: `file:line:col: error[code]: text (hint)`.
public struct Diagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable { case error, warning, note }

    public var severity: Severity
    public var code: String
    public var message: String
    /// Path as the user wrote it; nil where the finding has no place.
    public var file: String?
    /// Counted from 1.
    public var line: Int?
    /// Counted from 1, in characters.
    public var column: Int?
    public var hint: String?

    public init(
        _ severity: Severity, _ code: String, _ message: String, file: String? = nil, line: Int? = nil,
        column: Int? = nil, hint: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint
    }

    public var description: String {
        var text = ""
        if let file {
            text += file
            if let line { text += ":\(line)" }
            if line != nil, let column { text += ":\(column)" }
            text += ": "
        }
        text += "\(severity.rawValue)[\(code)]: \(message)"
        if let hint { text += " (hint: \(hint))" }
        return TerminalText.line(text)
    }
}

/// Several findings that together end a command.
public struct DiagnosticList: Error, Sendable {
    public var diagnostics: [Diagnostic]
    public var exitCode: ExitCode

    public init(_ diagnostics: [Diagnostic], exitCode: ExitCode = .failed) {
        self.diagnostics = diagnostics
        self.exitCode = exitCode
    }
}
