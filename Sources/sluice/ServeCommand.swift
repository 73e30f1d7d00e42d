import Sluice
import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceServer

/// `sluice serve SOURCE…`: serves files and folders as HLS.
struct ServeCommand: Command {
    static let spec = CommandSpec(
        "serve", "Serves media files and folders as HLS.",
        positionals: [PositionalSpec("source", .atLeastOne, "A media file, or a folder of them.")],
        options: [
            .value("host", "ADDRESS", .string, default: "127.0.0.1", "Address to listen on."),
            .value("port", "PORT", .integer(0...65_535), default: "8080", "Port to listen on; 0 picks a free one."),
            .value("graphs", "DIR", .string, "Folder of graph files; by default Graphs/ beside the program or here."),
            .value("store", "SIZE", .byteSize, default: "256MiB", "Memory for finished segments."),
        ])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let arguments = context.arguments
        var library = Library()
        for source in arguments.arguments("source") { try library.mount(source) }
        let graphs = try GraphCatalog(directory: GraphDirectory.find(arguments.string("graphs")))
        var settings = Engine.Options()
        settings.storeBytes = max(1 << 20, arguments.byteSize("store") ?? settings.storeBytes)
        let console = context.console
        settings.logger = Logger(category: "serve", threshold: .warning) { level, category, message in
            console.note("\(level.name) \(category): \(message)")
        }
        LogBridge.install(
            Logger(category: "libav", threshold: .error) { [logger = settings.logger] in logger.scoped($1).log($0, $2) }
        )
        let engine = Engine(library: library, graphs: graphs, options: settings)
        var serverOptions = ServerOptions()
        serverOptions.address = arguments.string("host") ?? "127.0.0.1"
        serverOptions.port = UInt16(arguments.integer("port") ?? 8080)
        let server = try MicrohttpdServer(options: serverOptions, responder: Origin(engine: engine))
        announce(library, server, serverOptions.address, context)
        await context.interruption.wait()
        await server.stop()
        await engine.stop()
        return .ok
    }

    /// The first line on standard output is the URL to open.
    private func announce(_ library: Library, _ server: MicrohttpdServer, _ address: String, _ context: CommandContext)
    {
        let host = address.contains(":") ? "[\(address)]" : address
        let base = "http://\(host):\(server.port)/"
        let titles = library.files().map { components in
            (
                components.joined(separator: "/"),
                base + "v1/"
                    + components.map { PercentEncoding.encode($0.hasPrefix("~") ? "~" + $0 : $0) }
                    .joined(separator: "/") + "/~/master.m3u8"
            )
        }
        let json = JSONValue.object([
            .init("event", .string("listening")), .init("url", .string(base)),
            .init(
                "titles",
                .array(
                    titles.map { .object([.init("source", .string($0.0)), .init("master", .string($0.1))]) })),
        ])
        let lines = [base] + titles.prefix(20).map { "  \($0.0): \($0.1)" }
        context.emit(text: lines.joined(separator: "\n"), json: json.encoded())
    }
}
