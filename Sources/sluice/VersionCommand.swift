import SluiceAV
import SluiceCommand
import SluiceGraph

/// `sluice version`: the program's version and the FFmpeg libraries it runs with.
struct VersionCommand: Command {
    static let version = "0.1.0"

    static let spec = CommandSpec(
        "version", "Prints the version, and those of the FFmpeg libraries compiled against and loaded.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let versions = LibraryVersions.current
        let json: JSONValue = [
            "sluice": .string(Self.version),
            "libraries": .array(
                versions.libraries.map { library in
                    [
                        "name": .string(library.name), "compiled": .string("\(library.compiled)"),
                        "loaded": .string("\(library.loaded)"),
                    ]
                }),
        ]
        context.emit(text: "sluice \(Self.version)\n\(versions)", json: json.encoded())
        try versions.verify()
        return .ok
    }
}
