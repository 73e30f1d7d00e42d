import Glibc
import Sluice
import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceServer

/// `sluice serve SOURCE…`: serves files, folders and URLs as HLS.
struct ServeCommand: Command {
    static let spec = CommandSpec(
        "serve", "Serves media files, folders and URLs as HLS.",
        positionals: [PositionalSpec("source", .atLeastOne, "A media file, a folder of them, or an http(s) URL.")],
        options: listening + production)

    private static let listening: [OptionSpec] = [
        .value("host", "ADDRESS", .string, default: "127.0.0.1", "Address to listen on."),
        .value("port", "PORT", .integer(0...65_535), default: "8080", "Port to listen on; 0 picks a free one."),
        .value("token", "TOKEN", .string, "Answers only those who show this token or an address signed with it."),
        .flag("public", "Serves everybody who reaches the address, without a warning."),
        .repeated(
            "allow", "ENTRY", .string,
            "Remote sources that may be asked for: [scheme://]host[:port], *.host, or an address range."),
        .value("tls-cert", "FILE", .string, "Certificate chain (PEM); serves https."),
        .value("tls-key", "FILE", .string, "Private key of the certificate (PEM)."),
        .value("connections", "COUNT", .integer(1...65_535), default: "4096", "Connections at one time."),
        .value(
            "per-address", "COUNT", .integer(0...65_535), default: "0",
            "Connections of one address at one time; 0 for no bound."),
    ]

    private static let production: [OptionSpec] = [
        .value("graphs", "DIR", .string, "Folder of graph files; by default Graphs/ beside the program or here."),
        .repeated("set", "NAME=VALUE", .keyValue, "Value of an option of the graphs."),
        .value(
            "plans", "DIR", .string,
            "Folder of stored plans, 'off' for none; by default sluice/plans in the user's cache folder."),
        .value("store", "SIZE", .byteSize, default: "256MiB", "Memory for finished segments."),
        .value("disk", "DIR", .string, "Folder for segments that left memory; without it they are made again."),
        .value("disk-size", "SIZE", .byteSize, default: "4GiB", "Bytes that segments take there."),
        .value("producers", "COUNT", .integer(1...1_024), default: "16", "Graphs that run at one time."),
        .value("bridges", "COUNT", .integer(1...1_024), default: "8", "Graphs beside them that encode sound."),
        .value("titles", "COUNT", .integer(1...4_096), default: "64", "Titles open at one time."),
    ]

    func run(_ context: CommandContext) async throws -> ExitCode {
        try await context.reporting { try await serve(context) }
    }

    private func serve(_ context: CommandContext) async throws -> ExitCode {
        ProcessMemory.releaseLoadedPages()
        let arguments = context.arguments
        let console = context.console
        let logger = Logger(category: "serve", threshold: .warning) { level, category, message in
            console.note("\(level.name) \(category): \(message)")
        }
        var library = Library()
        let sources = arguments.arguments("source")
        let remote = sources.filter { $0.contains("://") }
        for source in sources where !remote.contains(source) { try library.mount(source) }
        let graphs = try Self.graphs(arguments.string("graphs"))
        let options = try engineOptions(arguments, graphs, remote, logger)
        let serverOptions = try serverOptions(arguments)
        if let warning = ServeAnnouncement.warning(
            address: serverOptions.address, isOpen: options.access.isOpen, isPublic: arguments.flag("public"))
        {
            console.note("warning: \(warning)")
        }

        let engine = Engine(library: library, graphs: graphs, options: options)
        let server: MicrohttpdServer
        do throws(NodeFailure) {
            server = try MicrohttpdServer(
                options: serverOptions, responder: StatusPage(before: Origin(engine: engine)), log: logger)
        } catch {
            await engine.stop()
            throw error
        }
        engine.addMetrics { [weak server] metrics in
            if let server { Self.add(server.statistics, to: &metrics) }
        }
        let announcement = ServeAnnouncement(
            titles: await engine.sources, access: options.access, address: serverOptions.address, port: server.port,
            isSecure: serverOptions.certificate != nil)
        context.emit(text: announcement.text, json: announcement.json)

        await context.interruption.wait()
        // Waits end first, so that the server has nothing left to wait for.
        async let stopped: Void = engine.stop()
        await server.stop(grace: .seconds(1))
        await stopped
        return .ok
    }

    // MARK: - Options

    private static func graphs(_ wanted: String?) throws -> GraphCatalog {
        let folder = try GraphDirectory.find(wanted)
        let graphs = try GraphCatalog(directory: folder)
        var route = RouteFacts()
        route.video = .copy
        guard graphs.select(route) != nil else {
            throw NodeFailure(
                .notFound, "'\(folder)': none of \(graphs.files.count) graph files serves titles by copying them")
        }
        return graphs
    }

    private func engineOptions(
        _ arguments: ParsedArguments, _ graphs: GraphCatalog, _ remote: [String], _ logger: Logger
    ) throws -> Engine.Options {
        var options = Engine.Options()
        options.logger = logger
        options.storeBytes = max(1 << 20, arguments.byteSize("store") ?? options.storeBytes)
        options.storeDirectory = arguments.string("disk")
        options.storeDiskBytes = Int64(arguments.byteSize("disk-size") ?? 4 << 30)
        options.bridges = arguments.integer("bridges") ?? options.bridges
        options.producers = arguments.integer("producers") ?? options.producers
        options.openTitles = arguments.integer("titles") ?? options.openTitles
        options.planDirectory = Self.planDirectory(arguments.string("plans"))
        options.plansAhead = true
        options.whenQuiet = {
            ProcessMemory.trim()
            ProcessMemory.releaseLoadedPages()
        }
        if let token = arguments.string("token") {
            guard token.utf8.count >= 8 else {
                throw UsageError(.invalidValue, "'--token': \(token.utf8.count) bytes; must be at least 8")
            }
            options.access = AccessPolicy(token: token)
        }
        do throws(NodeFailure) {
            let named = try remote.map { url throws(NodeFailure) in try SourcePolicy.entry(for: url) }
            options.sources = try SourcePolicy(allowing: arguments.strings("allow") + named)
        } catch {
            throw UsageError(.invalidValue, error.message)
        }
        options.remoteTitles = remote
        for (name, value) in arguments.pairs("set") {
            guard graphs.files.contains(where: { $0.options.contains { $0.name.value == name } }) else {
                throw UsageError(.invalidValue, "'--set \(name)=…': no graph file has such an option")
            }
            options.graphSettings[name] = value
        }
        return options
    }

    private func serverOptions(_ arguments: ParsedArguments) throws(NodeFailure) -> ServerOptions {
        var options = ServerOptions()
        options.address = arguments.string("host") ?? "127.0.0.1"
        options.port = UInt16(clamping: arguments.integer("port") ?? 8080)
        options.connections = arguments.integer("connections") ?? options.connections
        options.connectionsPerAddress = arguments.integer("per-address") ?? 0
        options.certificate = try arguments.string("tls-cert").map(Self.text)
        options.privateKey = try arguments.string("tls-key").map(Self.text)
        return options
    }

    private static func text(_ path: String) throws(NodeFailure) -> String {
        guard let resolved = realpath(path, nil) else {
            throw NodeFailure(.notFound, "'\(path)': \(String(cString: strerror(errno)))")
        }
        defer { free(resolved) }
        let file = try OpenFile(path: String(cString: resolved))
        guard file.size <= 1 << 20, let bytes = file.contents(), let text = String(validating: bytes, as: UTF8.self)
        else { throw NodeFailure(.invalidOption, "'\(path)' is no PEM text") }
        return text
    }

    /// - Note: XDG Base Directory Specification: `$XDG_CACHE_HOME`, else `$HOME/.cache`.
    private static func planDirectory(_ wanted: String?) -> String? {
        if let wanted { return wanted == "off" ? nil : wanted }
        func folder(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let cache = folder("XDG_CACHE_HOME") ?? folder("HOME").map { $0 + "/.cache" }
        return cache.map { $0 + "/sluice/plans" }
    }

    private static func add(_ numbers: MicrohttpdServer.Statistics, to metrics: inout MetricsText) {
        metrics.add("sluice_connections", .gauge, "Connections that are open.", Double(numbers.connections))
        metrics.add("sluice_exchanges", .gauge, "Requests that are not fully answered.", Double(numbers.inFlight))
        metrics.add("sluice_suspended", .gauge, "Requests whose connection is set aside.", Double(numbers.waiting))
        metrics.add(
            "sluice_clients_gone_total", .counter, "Clients that closed before their answer.",
            Double(numbers.clientsGone))
        metrics.add("sluice_expired_total", .counter, "Requests that met their deadline.", Double(numbers.expired))
        metrics.add(
            "sluice_slow_clients_total", .counter, "Connections cut off for slowness.", Double(numbers.slowClients))
    }
}
