import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceTransport

/// `sluice graph describe`: the plan of a graph as text, JSON or a drawing.
struct GraphDescribeCommand: Command {
    static let spec = CommandSpec(
        "graph describe", "Shows the plan of a graph: nodes, links, bounds; as text, JSON or SVG.",
        positionals: [PositionalSpec("file", .one, "Graph file.")],
        options: [
            .value("svg", "file", .string, "Writes a drawing there."),
            .repeated("set", "name=value", .keyValue, "Value of an option of the graph."),
            .repeated("field", "name=value", .keyValue, "Fact that the conditions of nodes are decided on."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let facts = GraphFacts(
            // The plan is only shown, so the reference may stand for itself.
            sourceURL: "${source.url}", route: try RouteFacts(fields: context.arguments.pairs("field")))
        return try await context.reporting {
            let plan = try GraphPlan(
                file: try GraphFile.load(path: context.arguments.argument("file") ?? ""),
                catalog: NodeCatalog.standard,
                settings: Dictionary(context.arguments.pairs("set").map { ($0.key, $0.value) }) { $1 }, facts: facts)
            if let path = context.arguments.string("svg") {
                let file = try OutputFile(path: path, inputs: [context.arguments.argument("file") ?? ""])
                try file.write([ByteChunk(Array(plan.svg().utf8))])
                try file.commit()
            }
            context.emit(text: plan.describe(), json: plan.json.encoded())
            return .ok
        }
    }
}
