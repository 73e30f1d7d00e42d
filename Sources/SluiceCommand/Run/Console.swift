public import SluiceCore

/// Where a command writes: results to one sink, everything else to the other.
public struct Console: Sendable {
    public typealias Sink = @Sendable (String) -> Void

    private let output: Sink
    private let errors: Sink
    /// Whether somebody watches the second sink.
    public let errorsAreTerminal: Bool
    /// Width of that terminal, in characters.
    public let columns: Int
    public let time: any TimeSource

    public init(
        output: @escaping Sink, errors: @escaping Sink, errorsAreTerminal: Bool = false, columns: Int = 80,
        time: any TimeSource = SystemTimeSource()
    ) {
        self.output = output
        self.errors = errors
        self.errorsAreTerminal = errorsAreTerminal
        self.columns = columns
        self.time = time
    }

    /// One line of result.
    public func print(_ text: String) { output(text.hasSuffix("\n") ? text : text + "\n") }
    /// Result bytes as they are, without a newline.
    public func write(_ text: String) { output(text) }
    /// One line to the person, not the result.
    public func note(_ text: String) { errors(text.hasSuffix("\n") ? text : text + "\n") }
    public func report(_ diagnostic: Diagnostic) { note(diagnostic.description) }

    /// A progress line; silent where nobody watches.
    public func progress() -> Progress {
        Progress(isEnabled: errorsAreTerminal, columns: columns, time: time, write: errors)
    }
}
