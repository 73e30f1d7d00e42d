import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// `sluice plan`: the segments that a source would be served in.
struct PlanCommand: Command {
    static let spec = CommandSpec(
        "plan", "Shows the segments that a source would be served in, and what is known about its streams.",
        positionals: [PositionalSpec("source", .one, "Path or http(s) URL.")],
        options: [
            .value(
                "basis", "basis", .choice(["auto", "scan", "tables", "index"]), default: "auto",
                "What the plan is made from; auto takes the first that fits."),
            .value("target", "time", .duration, default: "4s", "Distance of segment starts that is aimed at."),
            .value("store", "directory", .string, "Keeps plans in this directory and takes them from there."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        var options = PlanBuilder.Options()
        options.target = arguments.duration("target") ?? options.target
        switch arguments.string("basis") {
        case "scan": options.basis = .scan
        case "tables": options.basis = .sampleTables
        case "index": options.basis = .index
        default: options.basis = nil
        }
        let locator = arguments.argument("source") ?? ""
        let (settled, directory) = (options, arguments.string("store"))
        let begin = ContinuousClock.now
        LogBridge.silence()
        do {
            let title = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PlannedTitle in
                let source = try Transport.open(locator)
                defer { source.close() }
                let store = try directory.map { path throws(NodeFailure) in try PlanStore(directory: path) }
                return try PlanBuilder.title(source, hint: locator, options: settled, store: store)
            }
            let elapsed = ContinuousClock.now - begin
            let report = PlanReport(title: title, elapsed: elapsed)
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        } catch let failure as NodeFailure {
            if context.wantsJSON {
                let error: JSONValue = [
                    "error": ["code": .string(failure.code.rawValue), "message": .string(failure.message)]
                ]
                context.console.print(error.encoded())
            } else {
                context.console.note("sluice: \(failure)")
            }
            return .failed
        }
    }
}
