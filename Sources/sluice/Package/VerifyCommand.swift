import Sluice
import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceGraph

/// `sluice verify DIR|URL`: whether every segment of a presentation can be decoded alone.
struct VerifyCommand: Command {
    static let spec = CommandSpec(
        "verify", "Decodes every segment of an HLS presentation alone.",
        positionals: [
            PositionalSpec("presentation", .one, "Folder with a master.m3u8, or path or URL of a playlist.")
        ],
        discussion: "Exit code 1 where a segment is missing, broken or needs another one.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let place = context.arguments.argument("presentation") ?? ""
        return try await context.reporting {
            let progress = context.console.progress()
            defer { progress.finish() }
            let report = try await BlockingThreads.shared.run { () throws(NodeFailure) -> PresentationReport in
                try PresentationVerifier { name, done in progress.update("\(name) segment \(done)") }.verify(place)
            }
            progress.finish()
            let lines = report.findings.map { "\($0.place): \($0.text)" }
            let summary =
                "\(report.playlists) playlists, \(report.segments) segments, \(report.frames) frames, "
                + "\(report.findings.count) findings"
            let json: JSONValue = [
                "playlists": .integer(report.playlists), "segments": .integer(report.segments),
                "gaps": .integer(report.gaps), "frames": .integer(report.frames),
                "findings": .array(
                    report.findings.map { ["place": .string($0.place), "text": .string($0.text)] }),
            ]
            context.emit(text: (lines + [summary]).joined(separator: "\n"), json: json.encoded())
            return report.findings.isEmpty ? .ok : .failed
        }
    }
}
