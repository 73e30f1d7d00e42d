import SluiceCommand

/// `sluice version`: the program's version.
struct VersionCommand: Command {
    static let version = "0.1.0"

    static let spec = CommandSpec("version", "Prints the version.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        context.emit(text: "sluice \(Self.version)", json: #"{"sluice":"\#(Self.version)"}"#)
        return .ok
    }
}
