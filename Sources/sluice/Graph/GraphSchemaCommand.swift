import SluiceCommand
import SluiceGraph

/// `sluice graph schema`: the JSON Schema of graph files, for editors.
struct GraphSchemaCommand: Command {
    static let spec = CommandSpec(
        "graph schema", "Prints the JSON Schema of graph files, for editors that check while typing.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        context.console.print(GraphSchema.generate(catalog: NodeCatalog.standard))
        return .ok
    }
}
