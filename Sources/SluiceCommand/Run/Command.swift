/// One subcommand: what it is called, what it takes, what it does.
public protocol Command: Sendable {
    static var spec: CommandSpec { get }
    init()
    /// Does the work. Throws a ``Diagnostic``, a ``DiagnosticList`` or any other error to end with a message.
    func run(_ context: CommandContext) async throws -> ExitCode
}

/// What a running command may use.
public struct CommandContext: Sendable {
    public let arguments: ParsedArguments
    public let registry: CommandRegistry
    public let console: Console
    public let interruption: Interruption

    public init(
        arguments: ParsedArguments, registry: CommandRegistry, console: Console, interruption: Interruption
    ) {
        self.arguments = arguments
        self.registry = registry
        self.console = console
        self.interruption = interruption
    }

    /// Whether `--json` was given.
    public var wantsJSON: Bool { arguments.flag("json") }

    /// Prints the result: `json` where `--json` was given, `text` otherwise.
    public func emit(text: @autoclosure () -> String, json: @autoclosure () -> String) {
        console.print(wantsJSON ? json() : text())
    }
}
