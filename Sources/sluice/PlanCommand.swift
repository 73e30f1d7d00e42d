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
            .value(
                "target", "time", .duration,
                "Distance of segment starts that is aimed at; by default 4s, and 6s without pictures."),
            .value(
                "store", "directory", .string,
                "Keeps complete plans in this directory and takes them from there; not provisional ones."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        var options = PlanBuilder.Options()
        if let target = arguments.duration("target") { (options.target, options.soundTarget) = (target, target) }
        switch arguments.string("basis") {
        case "scan": options.basis = .scan
        case "tables": options.basis = .sampleTables
        case "index": options.basis = .index
        default: options.basis = nil
        }
        let locator = arguments.argument("source") ?? ""
        let (settled, directory) = (options, arguments.string("store"))
        let begin = ContinuousClock.now
        let interruption = context.interruption
        return try await context.reporting {
            let title = try await OpenedSource.waiting(for: locator, context.console) {
                () throws(NodeFailure) -> PlannedTitle in
                let source = try Transport.open(locator) { opening in interruption.onInterrupt { opening.interrupt() } }
                defer { source.close() }
                var store: PlanStore?
                if let directory { store = try PlanStore(directory: directory) }
                return try PlanBuilder.title(source, hint: locator, options: settled, store: store)
            }
            if directory != nil, title.plan.isProvisional {
                context.console.note("sluice: a provisional plan is not stored; --basis scan makes a complete one")
            }
            let report = PlanReport(title: title, elapsed: ContinuousClock.now - begin)
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        }
    }
}
