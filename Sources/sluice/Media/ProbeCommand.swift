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
            .value(
                "detect", "kinds", .string,
                "Looks at the first pictures for hdr10plus, hdrvivid, dv; several joined by commas."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption) = (context.arguments, context.interruption)
        return try await context.reporting {
            let locator = arguments.argument("source") ?? ""
            let budget = ProbeBudget(bytes: arguments.byteSize("probe-size"), analyze: arguments.duration("analyze"))
            let kinds = try SignalDetection.kinds(arguments.string("detect"))
            let report = try await OpenedSource.read(
                locator, budget: budget, interruption: interruption, console: context.console
            ) { reader, source throws(NodeFailure) in
                var report = ProbeReport(locator, reader, source)
                if !kinds.isEmpty { report.detected = try SignalDetection.detect(kinds, in: &reader) }
                return report
            }
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        }
    }
}
