import Sluice
import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceNodes

/// `sluice package SOURCE OUTDIR`: the whole presentation as files.
struct PackageCommand: Command {
    static let spec = CommandSpec(
        "package", "Writes a source as an HLS presentation of files.",
        positionals: [
            PositionalSpec("source", .one, "Path or http(s) URL."),
            PositionalSpec("outdir", .one, "Folder to write to; created where it is not there."),
        ],
        options: [
            .value(
                "shape", "shape", .choice(["renditions", "muxed", "audio"]), default: "renditions",
                "A playlist a track, the best sound inside the picture's, or the sounds alone."),
            .value(
                "target", "time", .duration,
                "Distance of segment starts that is aimed at; by default 4s, and 6s without pictures."),
            .value(
                "dv", "what", .choice(DolbyVisionHandling.allCases.map(\.rawValue)), default: "auto",
                "Dolby Vision: as it is, the base layer alone, or 8.1 declared as 5."),
            .value(
                "audio", "mode", .choice(BridgeMode.allCases.map(\.rawValue)), default: "surround",
                "What sounds that cannot be copied become: E-AC-3 above two channels and FLAC, FLAC alone, or AAC."),
            .value("graphs", "DIR", .string, "Folder of graph files; by default Graphs/ beside the program or here."),
        ],
        discussion: "Exit code 1 for a source that is refused, with the reason; what was written until then stays.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        let begin = ContinuousClock.now
        ProcessMemory.releaseLoadedPages()
        let (interruption, console) = (context.interruption, context.console)
        return try await context.reporting {
            let graphs = try GraphCatalog(directory: GraphDirectory.find(arguments.string("graphs")))
            var packager = Packager(
                shape: Title.Shape(rawValue: arguments.string("shape") ?? "") ?? .renditions, graphs: graphs)
            if let target = arguments.duration("target") {
                (packager.options.target, packager.options.soundTarget) = (target, target)
            }
            packager.vision = DolbyVisionHandling(rawValue: arguments.string("dv") ?? "") ?? .auto
            packager.mode = BridgeMode(rawValue: arguments.string("audio") ?? "") ?? .surround
            // Whatever planning read and allocated is not needed for making segments.
            packager.whenPlanned = {
                ProcessMemory.trim()
                ProcessMemory.releaseLoadedPages()
            }
            let progress = console.progress()
            defer { progress.finish() }
            packager.progress = { done, total in progress.update("\(done) of \(total) segments") }
            let report = try await packager.run(
                arguments.argument("source") ?? "", to: arguments.argument("outdir") ?? "",
                onOpen: { source in interruption.onInterrupt { source.interrupt() } })
            progress.finish()
            emit(report, ContinuousClock.now - begin, context)
            return .ok
        }
    }

    private func emit(_ report: PackageReport, _ elapsed: Duration, _ context: CommandContext) {
        let plan = report.title.plan
        let text =
            "\(report.playlists.joined(separator: " "))\n\(plan.segments.count) segments of \(report.playlists.count - 1) "
            + "playlists, \(report.files) files, \(report.bytes) bytes, \(elapsed.inRoundSeconds) s"
        let json: JSONValue = [
            "playlists": .array(report.playlists.map { .string($0) }), "shape": .string(report.shape.rawValue),
            "basis": .string(plan.basis.rawValue), "segments": .integer(plan.segments.count),
            "files": .integer(report.files), "bytes": .integer(Int(report.bytes)), "seconds": .real(elapsed.inSeconds),
        ]
        context.emit(text: text, json: json.encoded())
    }
}
