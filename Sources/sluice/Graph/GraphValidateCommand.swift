import SluiceCommand
import SluiceCore
import SluiceGraph

/// `sluice graph validate`: every finding about some graph files, each with its place.
struct GraphValidateCommand: Command {
    static let spec = CommandSpec(
        "graph validate", "Checks graph files and lists every finding with its place.",
        positionals: [PositionalSpec("file", .atLeastOne, "Graph file.")],
        discussion: "Findings go to the error stream as file:line:column: error[code]: text. Exit code 3 if any is an "
            + "error, 1 where a file cannot be read.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let catalog = NodeCatalog.standard
        var reports: [JSONValue] = []
        var isValid = true
        // Code 1 where nothing worse was found than a file that cannot be read.
        var isOnlyUnreadable = true
        for path in context.arguments.arguments("file") {
            let (file, findings) = Self.check(path, catalog)
            isValid = isValid && !findings.hasErrors
            if findings.hasErrors, !findings.isUnreadable { isOnlyUnreadable = false }
            for finding in findings { context.console.note(finding.description) }
            if let file, !findings.hasErrors, !context.wantsJSON {
                context.console.print("\(path): ok, \(file.nodes.count) nodes, \(file.links.count) links")
            }
            reports.append([
                "file": .string(path), "name": file?.name.map { .string($0.value) } ?? .null,
                "valid": .boolean(!findings.hasErrors), "findings": .array(findings.map(\.json)),
            ])
        }
        if context.wantsJSON {
            context.console.print((["valid": .boolean(isValid), "files": .array(reports)] as JSONValue).encoded())
        }
        return isValid ? .ok : isOnlyUnreadable ? .failed : .invalidGraph
    }

    private static func check(_ path: String, _ catalog: NodeCatalog) -> (GraphFile?, [GraphDiagnostic]) {
        do throws(GraphValidationError) {
            let file = try GraphFile.load(path: path)
            return (file, file.validate(against: catalog))
        } catch {
            return (nil, error.diagnostics)
        }
    }
}
