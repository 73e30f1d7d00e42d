import Sluice
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceTransport

/// `sluice subtitles SOURCE OUT`: a subtitle track as a file.
struct SubtitlesCommand: Command {
    static let spec = CommandSpec(
        "subtitles", "Writes a subtitle track of a source, or of a file beside it, as one file.",
        positionals: [
            PositionalSpec("source", .one, "Path or http(s) URL."),
            PositionalSpec("out", .one, "File to write."),
        ],
        options: [
            .value("track", "number", .integer(1...128), default: "1", "Which text track; 1 is the first."),
            .value(
                "format", "format", .choice(SubtitleExport.Format.allCases.map(\.rawValue)),
                "What is written; by default what the file's name says, else vtt."),
        ],
        discussion: "Times are those of the title as it is served: 0 is its first picture.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption) = (context.arguments, context.interruption)
        return try await context.reporting {
            let (source, path) = (arguments.argument("source") ?? "", arguments.argument("out") ?? "")
            let name = path.split(separator: ".").last.map { $0.lowercased() } ?? ""
            let format =
                SubtitleExport.Format(rawValue: arguments.string("format") ?? "") ?? SubtitleExport.Format(
                    rawValue: name)
                ?? .vtt
            let export = SubtitleExport(track: arguments.integer("track") ?? 1, format: format)
            let result = try await OpenedSource.waiting(for: source, context.console) {
                () throws(NodeFailure) -> SubtitleExport.Result in
                let file = try OutputFile(path: path, inputs: [source])
                let result = try export.run(source) { opening in interruption.onInterrupt { opening.interrupt() } }
                try file.write([ByteChunk(Array(result.text.utf8))])
                try file.commit()
                return result
            }
            context.emit(
                text:
                    "\(result.rendition)  \(result.codec)\(result.language.map { " (\($0))" } ?? ""), \(result.cues) cues",
                json: Self.json(result).encoded())
            return .ok
        }
    }

    private static func json(_ result: SubtitleExport.Result) -> JSONValue {
        [
            "rendition": .string(result.rendition), "codec": .string(result.codec),
            "language": result.language.map { .string($0) } ?? .null, "cues": .integer(result.cues),
        ]
    }
}
