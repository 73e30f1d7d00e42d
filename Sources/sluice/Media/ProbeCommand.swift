import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph

/// `sluice probe`: what is in a source.
struct ProbeCommand: Command {
    static let spec = CommandSpec(
        "probe", "Shows what a source holds: format, streams, chapters, tags, attachments.",
        positionals: [PositionalSpec("source", .one, "Path or http(s) URL.")],
        options: [
            .value("probe-size", "size", .byteSize, default: "50MiB", "Bytes read at most, 2KiB to 1GiB."),
            .value("analyze", "time", .duration, default: "60s", "Timeline examined at most, up to 1h."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption) = (context.arguments, context.interruption)
        return try await context.reporting {
            let locator = arguments.argument("source") ?? ""
            let budget = ProbeBudget(bytes: arguments.byteSize("probe-size"), analyze: arguments.duration("analyze"))
            let report = try await OpenedSource.read(
                locator, budget: budget, interruption: interruption, console: context.console
            ) { reader, source in
                ProbeReport(locator, reader, source)
            }
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        }
    }
}
