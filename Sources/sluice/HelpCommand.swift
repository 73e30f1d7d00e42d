import SluiceCommand

/// `sluice help [<command>…]`: the overview, or one command's usage.
struct HelpCommand: Command {
    static let spec = CommandSpec(
        "help", "Says what a command does and takes.",
        positionals: [PositionalSpec("command", .any, "A command's name; without it all commands are listed.")])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let words = context.arguments.arguments("command")
        let registry = context.registry
        guard let first = words.first else {
            context.console.print(registry.overview())
            return .ok
        }
        if words.count == 1, registry.isFamily(first) {
            context.console.print(registry.overview(family: first))
            return .ok
        }
        let command = try registry.resolve(words).command
        context.console.print(command.spec.usage(program: registry.program))
        return .ok
    }
}
