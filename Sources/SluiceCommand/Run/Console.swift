public import SluiceCore

/// Where a command writes: results to one sink, everything else to the other.
public struct Console: Sendable {
    public typealias Sink = @Sendable (String) -> Void

    private let output: Sink
    private let errors: Sink
    private let lost: @Sendable () -> Bool
    /// Whether somebody watches the second sink.
    public let errorsAreTerminal: Bool
    /// Width of that terminal, in characters.
    public let columns: Int
    public let time: any TimeSource

    public init(
        output: @escaping Sink, errors: @escaping Sink, errorsAreTerminal: Bool = false, columns: Int = 80,
        time: any TimeSource = SystemTimeSource(), hasLostOutput: @escaping @Sendable () -> Bool = { false }
    ) {
        self.output = output
        self.errors = errors
        self.errorsAreTerminal = errorsAreTerminal
        self.columns = columns
        self.time = time
        lost = hasLostOutput
    }

    /// Whether a result could not be written; more of it is of no use then.
    public var hasLostOutput: Bool { lost() }

    /// One line of result, or several. What could steer a terminal is escaped here and in ``note(_:)``.
    public func print(_ text: String) { output(Self.lines(text)) }
    /// Result bytes as they are, without a newline.
    public func write(_ text: String) { output(text) }
    /// One line to the person, not the result.
    public func note(_ text: String) { errors(Self.lines(text)) }
    public func report(_ diagnostic: Diagnostic) { note(diagnostic.description) }

    private static func lines(_ text: String) -> String {
        TerminalText.block(text.hasSuffix("\n") ? text : text + "\n")
    }

    /// A progress line; silent where nobody watches.
    public func progress() -> Progress {
        Progress(isEnabled: errorsAreTerminal, columns: columns, time: time, write: errors)
    }
}
