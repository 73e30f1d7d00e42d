public import SluiceCore
public import SluiceDataflow
import SluiceTransport

/// Opens the source and hands it to the demuxer, which reads it at will.
///
/// Pure control: opening happens on a thread that may block, reading on the demuxer's own.
public actor ReaderNode: Node {
    public static let descriptor = NodeDescriptor(
        kind: "reader",
        ports: [.output("bytes", .bytes)],
        options: [
            OptionDescriptor("url", .string(), "Path, file: or http(s): URL of the source."),
            OptionDescriptor(
                "readAhead", .byteSize(65_536...(64 << 20)), default: .byteSize(16 << 20),
                "Bytes that a network window holds ahead of the demuxer."),
        ],
        workingSetBytes: 20 << 20,
        summary: "Opens a source and checks that it can be read."
    )

    private let core: NodeCore
    private let link: ByteLink
    private let url: String
    private let readAhead: Int
    private let host: HostByteSource?
    private let transport: TransportOptions

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        link = try context.byteOutput("bytes")
        url = try context.string("url")
        readAhead = try context.byteSize("readAhead")
        host = context.optionalResource(HostByteSource.self)
        transport = context.optionalResource(TransportOptions.self) ?? TransportOptions()
    }

    public func run() async throws(NodeFailure) {
        guard let source = try await open() else { return }
        link.provide(source, name: host == nil ? try SourceLocator(url).fileName : nil)
        while !core.isCancelled {
            // Seeks move the demuxer, which moves the source; the reader only has to be there until the end.
            takeControl()
            await core.park()
        }
        source.close()
    }

    /// Nil when the node was cancelled meanwhile.
    private func open() async throws(NodeFailure) -> (any ByteSource)? {
        if let host { return host.source }
        var options = transport
        options.window.highWater = readAhead
        options.window.lowWater = readAhead / 2
        let (url, settings, interrupt) = (url, options, core.interrupt)
        // Only the opening is the reader's to interrupt; afterwards the demuxer's token speaks for the source.
        let opening = Locked<(any ByteSource)?>(nil)
        interrupt.onChange { raised in
            // Within the lock: once the source is handed over, nothing here reaches it any more.
            opening.withLock { source in raised ? source?.interrupt() : source?.resume() }
        }
        while !core.isCancelled {
            // A seek that came before the source was open changes nothing here.
            takeControl()
            do {
                let source = try await BlockingThreads.shared.run { () throws(NodeFailure) -> any ByteSource in
                    try Transport.open(url, options: settings) { candidate in
                        opening.withLock { $0 = candidate }
                        if interrupt.isRaised { candidate.interrupt() }
                    }
                }
                opening.withLock { $0 = nil }
                source.resume()
                return source
            } catch {
                opening.withLock { $0 = nil }
                guard error.code == .cancelled, core.isCancelled || core.inbox.hasMessages else { throw error }
            }
        }
        return nil
    }

    private func takeControl() {
        while let message = core.inbox.take() {
            if case .seek(let request) = message { core.interrupt.lower(through: request.epoch) }
        }
    }
}

/// A source that the host opened itself; given as a resource it takes the place of the reader's `url`.
public struct HostByteSource: Sendable {
    public let source: any ByteSource
    public init(_ source: any ByteSource) { self.source = source }
}
