import SluiceAV
import SluiceBitstream
import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTransport

/// `sluice dovi SOURCE`: the Dolby Vision metadata of a source, converted.
struct DoviCommand: Command {
    static let spec = CommandSpec(
        "dovi", "Shows, converts and extracts the Dolby Vision metadata of a source.",
        positionals: [PositionalSpec("source", .one, "Path or http(s) URL of media, or of a file of RPUs.")],
        options: [
            .value(
                "mode", "mode", .choice(["lossless", "mel", "8.1"]), default: "lossless",
                "What RPUs are turned into: nothing else, profile 7 with a minimal layer, or profile 8.1."),
            .value("hevc", "FILE", .string, "Writes the picture stream with converted RPUs, with start codes."),
            .value("rpu", "FILE", .string, "Writes the converted RPUs, each behind a start code."),
        ],
        discussion:
            "Exit code 1 where an RPU could not be read or converted; the files are written all the same, unless "
            + "there is none that could.")

    private static let modes: [String: DolbyVisionConversion] = [
        "lossless": .lossless, "mel": .minimalEnhancement, "8.1": .profile81,
    ]

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption) = (context.arguments, context.interruption)
        return try await context.reporting {
            let locator = arguments.argument("source") ?? ""
            let conversion = Self.modes[arguments.string("mode") ?? ""] ?? .lossless
            let (hevc, rpu) = (arguments.string("hevc"), arguments.string("rpu"))
            if let hevc, hevc == rpu { throw UsageError(.invalidValue, "'--rpu' and '--hevc' name one file: \(hevc)") }
            let report = try await OpenedSource.waiting(for: locator, context.console) {
                () throws(NodeFailure) -> VisionReport in
                let name = try SourceLocator(locator).fileName
                let source = try Transport.open(locator) { opening in interruption.onInterrupt { opening.interrupt() } }
                defer { source.close() }
                var run = VisionRun(conversion)
                if let rpu { run.rpus = try OutputFile(path: rpu, inputs: [locator]) }
                if let hevc { run.pictures = try OutputFile(path: hevc, inputs: [locator]) }
                try Self.read(source, hint: name, into: &run, wantsPictures: hevc != nil)
                // What is there already is not replaced by nothing.
                guard run.report.count + run.report.refused > 0 else {
                    throw NodeFailure(.unsupported, "no Dolby Vision metadata in \(run.report.pictures) packets")
                }
                if run.report.converted > 0 {
                    try run.rpus?.commit()
                    try run.pictures?.commit()
                }
                return run.report
            }
            context.emit(text: report.text, json: report.json.encoded())
            return report.refused == 0 ? .ok : .failed
        }
    }

    private static func read(
        _ source: any ByteSource, hint: String?, into run: inout VisionRun, wantsPictures: Bool
    ) throws(NodeFailure) {
        let head = try bytes(source, 16)
        guard VisionRun.isRaw(head) else {
            var reader = try FormatReader(source: source, hint: hint)
            return try run.read(&reader)
        }
        guard !wantsPictures else {
            throw NodeFailure(.invalidOption, "a file of RPUs has no pictures for --hevc")
        }
        guard let size = source.size, size <= VisionRun.rawLimit else {
            throw NodeFailure(
                .limitExceeded, "a file of RPUs of more than \(VisionRun.rawLimit) bytes, or of unknown size")
        }
        try run.read(raw: try bytes(source, Int(size)))
    }

    private static func bytes(_ source: any ByteSource, _ count: Int) throws(NodeFailure) -> [UInt8] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { buffer.deallocate() }
        var done = 0
        while done < count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let read = try source.read(into: rest, at: Int64(done))
            if read == 0 { break }
            done += read
        }
        return [UInt8](buffer[..<done])
    }
}
