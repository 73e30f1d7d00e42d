import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceNodes
import SluiceTransport

/// `sluice audio`: what becomes of the sounds of a source, and their samples.
struct AudioCommand: Command {
    static let spec = CommandSpec(
        "audio", "Shows how each sound of a source is served, or writes one as samples.",
        positionals: [PositionalSpec("source", .one, "Path or http(s) URL.")],
        options: [
            .value("tap", "FILE", .string, "Writes the samples of a sound as WAV: 32-bit float, 48 kHz, one channel."),
            .value("stream", "number", .integer(0...65_535), "The sound to write; by default the one served first."),
        ],
        discussion:
            "The samples begin at the title's origin, which is its first picture: silence stands where the source "
            + "has none. Exit code 1 where nothing can be decoded.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption, console) = (context.arguments, context.interruption, context.console)
        let (name, tap) = (arguments.argument("source") ?? "", arguments.string("tap"))
        let wanted = arguments.integer("stream").map { StreamID($0) }
        return try await context.reporting {
            let report = try await OpenedSource.waiting(for: name, console) { () throws(NodeFailure) -> AudioReport in
                let source = try Transport.open(name) { opening in interruption.onInterrupt { opening.interrupt() } }
                defer { source.close() }
                let title = try PlanBuilder.title(source, hint: name)
                guard let tap else { return AudioReport(title) }
                guard let stream = wanted ?? title.facts.sounds.first else {
                    throw NodeFailure(.unsupported, "'\(name)' has no sound that can be decoded")
                }
                let reading = try SoundTap(source, hint: name, title: title, stream: stream)
                var report = AudioReport(title)
                report.written = try WaveFile.write(tap, inputs: [name], rate: 48_000) { () throws(NodeFailure) in
                    try reading.next()?.plainBytes
                }
                (report.stream, report.rejected) = (stream, reading.rejected)
                return report
            }
            context.emit(text: report.text, json: report.json.encoded())
            return .ok
        }
    }
}

/// What `sluice audio` says.
struct AudioReport: Sendable {
    struct Sound: Sendable {
        var stream: StreamFormat
        var means: String
        var reason: String
    }

    var sounds: [Sound]
    /// Samples that were written; nil where nobody asked.
    var written: Int?
    var stream: StreamID?
    /// Packets of it that could not be decoded.
    var rejected = 0

    init(_ title: PlannedTitle) {
        sounds = title.facts.streams.filter { $0.type == .audio }.map { stream in
            let (delivery, reason) = BridgePolicy.delivery(
                stream, copies: title.facts.audio.contains(stream.id), client: .everything)
            let means =
                switch delivery {
                case .copy: "copy"
                case .bridge(let codec): codec.rawValue
                case .refused: "none"
                }
            return Sound(stream: stream, means: means, reason: reason)
        }
    }

    var text: String {
        if let written, let stream {
            let note = rejected > 0 ? ", \(rejected) packets were not decoded" : ""
            return "stream \(stream): \(written) samples\(note)"
        }
        let lines = sounds.map { sound in
            let layout = sound.stream.audio.map { $0.layout ?? "\($0.channels) channels" } ?? "unknown"
            return "stream \(sound.stream.id): \(sound.stream.codec), \(layout): \(sound.means), \(sound.reason)"
        }
        return lines.isEmpty ? "no sound" : lines.map { TerminalText.line($0) }.joined(separator: "\n")
    }

    var json: JSONValue {
        [
            "sounds": .array(
                sounds.map { sound in
                    [
                        "stream": .integer(sound.stream.id.index), "codec": .string(sound.stream.codec.rawValue),
                        "means": .string(sound.means), "reason": .string(sound.reason),
                    ]
                }),
            "stream": .number(stream?.index), "samples": .number(written), "rejected": .integer(rejected),
        ]
    }
}
