import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph

/// `sluice run`: runs a graph over a source, to the end.
struct RunCommand: Command {
    static let spec = CommandSpec(
        "run", "Runs a graph over a source and shows what went through it.",
        positionals: [
            PositionalSpec("graph", .one, "Graph file."), PositionalSpec("source", .one, "Path or http(s) URL."),
        ],
        options: [
            .repeated("set", "name=value", .keyValue, "Value of an option of the graph."),
            .repeated("field", "name=value", .keyValue, "Fact that the conditions of nodes are decided on."),
            .repeated("seek", "time", .duration, "Moves the graph there, from the start of the source."),
            .value("record", "file", .string, "Writes a line for each packet and event that a hash-sink sees."),
            .value("trace", "file", .string, "Writes the nodes' last 4096 events each, as JSON lines."),
        ],
        discussion: "Exit code 3 for a graph that is not valid, 1 for a run that failed or was interrupted.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let facts = GraphFacts(
            sourceURL: arguments.argument("source"), route: try RouteFacts(fields: arguments.pairs("field")))
        return try await context.reporting {
            let plan = try GraphPlan(
                file: try GraphFile.load(path: arguments.argument("graph") ?? ""),
                catalog: NodeCatalog.standard,
                settings: Dictionary(arguments.pairs("set").map { ($0.key, $0.value) }) { $1 }, facts: facts)
            let inputs = ["source", "graph"].compactMap { arguments.argument($0) }
            func output(_ option: String) throws(NodeFailure) -> LineFile? {
                guard let path = arguments.string(option) else { return nil }
                return try LineFile(path: path, inputs: inputs)
            }
            let record = try output("record")
            defer { record?.discard() }
            let trace = try output("trace")
            defer { trace?.discard() }
            let run = GraphRun(
                plan: plan, seeks: arguments.strings("seek").compactMap(ValueText.duration),
                record: record, trace: trace != nil)
            let report = try await Self.explaining {
                try await run.run(context.console, interruption: context.interruption)
            }
            try record?.commit()
            if let trace { try report.writeTrace(to: trace) }
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        }
    }

    /// A graph that serves wants a plan and a store, which only a server or a package has.
    private static func explaining(_ body: () async throws -> RunReport) async throws -> RunReport {
        func explained(_ failure: NodeFailure) -> NodeFailure {
            guard failure.code == .missingResource else { return failure }
            var failure = failure
            failure.message += "; 'run' has none: use 'sluice serve' or 'sluice package'"
            return failure
        }
        do { return try await body() } catch var error as GraphFailure {
            error.failure = explained(error.failure)
            throw error
        } catch let error as NodeFailure {
            throw explained(error)
        }
    }
}
