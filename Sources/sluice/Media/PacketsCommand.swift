import SluiceAV
import SluiceCommand
import SluiceCore
import SluiceGraph
import SluiceNodes

/// `sluice packets`: the demuxed timing, a packet a line.
struct PacketsCommand: Command {
    static let spec = CommandSpec(
        "packets", "Lists a source's packets with their times, as CSV.",
        positionals: [PositionalSpec("source", .one, "Path or http(s) URL.")],
        options: [
            .repeated("stream", "number", .integer(0...65_535), "Only packets of this stream."),
            .value("limit", "count", .integer(1...Int.max), "Ends after so many packets."),
            .flag("repaired", "Only what is served, on the title's timeline, as the cutter gets it."),
            .flag("hash", "Adds a checksum of each packet's bytes."),
        ],
        discussion: "Columns: stream, pts, dts and duration in ticks of the stream's time base, key (1 for a random "
            + "access point), bytes, position in the source, and with --hash 64 bits of FNV-1a in hexadecimal digits. What is not "
            + "known is empty.")

    func run(_ context: CommandContext) async throws -> ExitCode {
        let (arguments, interruption, console) = (context.arguments, context.interruption, context.console)
        let asJSON = context.wantsJSON
        return try await context.reporting {
            let chosen = Set(arguments.strings("stream").compactMap { Int($0) }.map { StreamID($0) })
            let limit = arguments.integer("limit") ?? Int.max
            let hasHashes = arguments.flag("hash")
            let (isRepaired, name) = (arguments.flag("repaired"), arguments.argument("source") ?? "")
            let failure = try await OpenedSource.read(
                arguments.argument("source") ?? "", budget: .playback,
                interruption: interruption, console: console
            ) { reader, source throws(NodeFailure) in
                if let unknown = chosen.subtracting(reader.streams.map(\.id)).min() {
                    throw NodeFailure(
                        .invalidOption, "no stream \(unknown.index); the source has \(reader.streams.count) streams")
                }
                if !chosen.isEmpty { reader.select(chosen) }
                var list = PacketList(asJSON: asJSON, hasHashes: hasHashes) { console.write($0) }
                var repaired: RepairedReader?
                if isRepaired {
                    let title = try PlanBuilder.title(source, hint: name)
                    repaired = try RepairedReader(source, hint: name, title: title)
                }
                list.begin()
                var failure: NodeFailure?
                do throws(NodeFailure) {
                    while list.count < limit, !console.hasLostOutput,
                        let packet = try isRepaired ? repaired?.next() : reader.readPacket()
                    {
                        if chosen.isEmpty || chosen.contains(packet.stream) { list.add(packet) }
                    }
                } catch { failure = error }
                // Rows are out already: the document is closed, with the failure in it.
                list.end(failure)
                return failure
            }
            guard let failure else { return .ok }
            if !asJSON { console.note(RunFailure(interruption.isRaised ? CancellationError() : failure).line) }
            return .failed
        }
    }
}

/// Writes packets as CSV rows or as one JSON document, in blocks.
struct PacketList {
    private static let block = 65_536

    let asJSON: Bool
    /// Whether rows end with a checksum of the packet's bytes.
    let hasHashes: Bool
    let write: (String) -> Void
    private(set) var count = 0
    private var buffer = ""

    init(asJSON: Bool, hasHashes: Bool, write: @escaping (String) -> Void) {
        self.asJSON = asJSON
        self.hasHashes = hasHashes
        self.write = write
    }

    mutating func begin() {
        buffer = asJSON ? "{\"packets\":[" : "stream,pts,dts,duration,key,bytes,position\(hasHashes ? ",hash" : "")\n"
    }

    private func hash(_ packet: Packet) -> String {
        String(packet.withUnsafeBytes { Checksum.of($0) }, radix: 16)
    }

    mutating func add(_ packet: Packet) {
        if asJSON {
            let row: JSONValue = [
                "stream": .integer(packet.stream.index), "pts": .number(packet.presentationTicks),
                "dts": .number(packet.decodeTicks), "duration": .integer(Int(packet.durationTicks)),
                "key": .boolean(packet.isKeyframe), "bytes": .integer(packet.byteCount),
                "position": .number(packet.filePosition), "hash": hasHashes ? .string(hash(packet)) : .null,
            ]
            buffer += (count > 0 ? "," : "") + row.encoded()
        } else {
            func text(_ value: Int64?) -> String { value.map(String.init) ?? "" }
            buffer +=
                "\(packet.stream.index),\(text(packet.presentationTicks)),\(text(packet.decodeTicks)),"
                + "\(packet.durationTicks),\(packet.isKeyframe ? 1 : 0),\(packet.byteCount),"
                + text(packet.filePosition) + (hasHashes ? "," + hash(packet) : "") + "\n"
        }
        count += 1
        if buffer.utf8.count >= Self.block { flush() }
    }

    mutating func end(_ failure: NodeFailure?) {
        if asJSON { buffer += "]" + (failure.map { ",\"error\":\(RunFailure($0).json.encoded())" } ?? "") + "}\n" }
        flush()
    }

    private mutating func flush() {
        write(buffer)
        buffer = ""
    }
}
