public import SluiceAV
public import SluiceCore
public import SluiceDataflow
import SluiceTransport

/// Writes the payloads of one stream to a file, one after the other: an elementary stream for other tools.
///
/// The file gets its name when the stream ends; until then it is `<path>.part`.
public actor FileSinkNode: SinkNode {
    public static let descriptor = NodeDescriptor(
        kind: "file-sink",
        ports: [.input("packets", .packet)],
        options: [
            OptionDescriptor("path", .string(), "File to write; it is replaced."),
            OptionDescriptor("stream", .integer(0...4_095), default: .integer(0), "Number of the stream to write."),
        ],
        mayBlock: true,
        landing: true,
        summary: "Writes a stream's payloads to a file."
    )

    public let core: NodeCore
    public let input: InputPort<Packet>
    private let path: String
    private let stream: StreamID
    private var file: OutputFile?

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("packets")
        path = try context.string("path")
        stream = StreamID(try context.integer("stream"))
    }

    public func consume(_ packet: Packet) async throws(NodeFailure) {
        guard packet.stream == stream else { return }
        let path = path
        if file == nil {
            file = try BlockingScope.run { () throws(NodeFailure) in try OutputFile(path: path) }
        }
        try BlockingScope.run { () throws(NodeFailure) in try file?.write([ByteChunk(packet)]) }
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) {
        guard case .endOfStream = event else { return }
        try BlockingScope.run { () throws(NodeFailure) in try file?.commit() }
        file = nil
    }

    public func flush() { file = nil }
}
