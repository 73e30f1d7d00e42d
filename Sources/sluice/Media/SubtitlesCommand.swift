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
            PositionalSpec("out", .one, "File to write; with png a folder."),
        ],
        options: [
            .value(
                "track", "number", .integer(1...128), default: "1",
                "Which text track, or with png which bitmap track; 1 is the first."),
            .value(
                "format", "format", .choice(SubtitleExport.Format.allCases.map(\.rawValue) + ["png"]),
                "What is written; by default what the file's name says, else vtt."),
        ],
        discussion: "Times are those of the title as it is served: 0 is its first picture.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption) = (context.arguments, context.interruption)
        return try await context.reporting {
            let (source, path) = (arguments.argument("source") ?? "", arguments.argument("out") ?? "")
            if arguments.string("format") == "png" { return try await images(context, source, path) }
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

    private func images(_ context: CommandContext, _ source: String, _ folder: String) async throws -> ExitCode {
        let interruption = context.interruption
        let export = ImageExport(track: context.arguments.integer("track") ?? 1)
        let result = try await OpenedSource.waiting(for: source, context.console) {
            () throws(NodeFailure) -> ImageExport.Result in
            try export.run(source, to: folder) { opening in interruption.onInterrupt { opening.interrupt() } }
        }
        let json: JSONValue = [
            "rendition": .string(result.rendition), "codec": .string(result.codec),
            "language": result.language.map { .string($0) } ?? .null, "cues": .integer(result.cues),
            "files": .integer(result.files),
        ]
        context.emit(
            text:
                "\(result.rendition)  \(result.codec)\(result.language.map { " (\($0))" } ?? ""), \(result.cues) cues, "
                + "\(result.files) files",
            json: json.encoded())
        return .ok
    }

    private static func json(_ result: SubtitleExport.Result) -> JSONValue {
        [
            "rendition": .string(result.rendition), "codec": .string(result.codec),
            "language": result.language.map { .string($0) } ?? .null, "cues": .integer(result.cues),
        ]
    }
}
