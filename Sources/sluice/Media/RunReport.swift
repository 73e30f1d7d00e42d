import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

/// What `sluice run` says when the graph has ended.
struct RunReport: Sendable {
    struct Seek: Sendable {
        var target: Duration
        var outcome: SeekOutcome
    }

    var snapshot: GraphSnapshot
    var catalog: StreamCatalog.Contents?
    /// What reached the hash sinks, all epochs together.
    var streams: [StreamID: PacketDigest.Stream]
    var seeks: [Seek]
    var notes: [String]
    var traces: [(node: String, entries: [TraceEntry])]

    var text: String {
        var lines: [String] = []
        var table = TextTable(
            ["stream", "type", "codec", "packets", "bytes", "keyframes", "first", "last"],
            rightAligned: [3, 4, 5, 6, 7])
        for (id, numbers) in streams.sorted(by: { $0.key < $1.key }) {
            let format = catalog?.streams.first { $0.id == id }
            table.add([
                id.description, format?.type.rawValue ?? "", format?.codec.rawValue ?? "", "\(numbers.packets)",
                "\(numbers.bytes)", "\(numbers.keyframes)",
                numbers.first.map { ProbeReport.decimal($0.seconds) } ?? "",
                numbers.last.map { ProbeReport.decimal($0.seconds) } ?? "",
            ])
        }
        if !streams.isEmpty { lines += [table.text, ""] }
        for format in catalog?.streams ?? [] {
            guard let parked = format.parked else { continue }
            lines.append("stream \(format.id) \(format.type.rawValue) \(format.codec): not read, \(parked.rawValue)")
        }
        var nodes = TextTable(
            ["node", "kind", "in", "out", "bytes in", "bytes out", "busy ms", "wait in ms", "wait out ms", "errors"],
            rightAligned: Set(2...9))
        for node in snapshot.nodes {
            let numbers = node.numbers
            nodes.add([
                node.name, node.kind, "\(numbers.itemsIn)", "\(numbers.itemsOut)", "\(numbers.bytesIn)",
                "\(numbers.bytesOut)", "\(node.busy / 1_000_000)", "\(numbers.waitInput / 1_000_000)",
                "\(numbers.waitOutput / 1_000_000)", "\(numbers.errors)",
            ])
        }
        lines.append(nodes.text)
        for seek in seeks { lines.append("seek to \(ProbeReport.clock(seek.target)): \(seek.outcome.text)") }
        for link in snapshot.links where link.level.dropped > 0 {
            lines.append("link \(link.from) -> \(link.to): \(link.level.dropped) dropped")
        }
        lines += notes.map { "note: \($0)" }
        lines.append("\(snapshot.graph): \(snapshot.phase.name) after \(snapshot.elapsed / 1_000_000) ms")
        return lines.joined(separator: "\n")
    }

    /// The report as `--json` prints it. Times are seconds, waits milliseconds.
    var json: JSONValue {
        [
            "graph": .string(snapshot.graph), "phase": .string(snapshot.phase.name),
            "elapsed": .real(Double(snapshot.elapsed) / 1e9), "format": .text(catalog?.formatName),
            "duration": catalog?.duration.map { .real($0.inSeconds) } ?? .null,
            "streams": .array(
                (catalog?.streams ?? []).map { format in
                    let numbers = streams[format.id]
                    return [
                        "index": .integer(format.id.index), "type": .string(format.type.rawValue),
                        "codec": .string(format.codec.rawValue), "parked": .text(format.parked?.rawValue),
                        "packets": .integer(numbers?.packets ?? 0), "bytes": .integer(numbers?.bytes ?? 0),
                        "keyframes": .integer(numbers?.keyframes ?? 0), "first": .seconds(numbers?.first),
                        "last": .seconds(numbers?.last),
                    ]
                }),
            "nodes": .array(snapshot.nodes.map(Self.node)),
            "links": .array(
                snapshot.links.map { link in
                    [
                        "from": .string(link.from), "to": .string(link.to), "peakBytes": .integer(link.level.peakBytes),
                        "dropped": .integer(Int(clamping: link.level.dropped)),
                        "fullCount": .integer(Int(clamping: link.level.fullCount)),
                    ]
                }),
            "seeks": .array(
                seeks.map { ["target": .real($0.target.inSeconds), "outcome": .string($0.outcome.text)] }),
            "notes": .array(notes.map { .string($0) }),
        ]
    }

    private static func node(_ node: GraphSnapshot.NodeState) -> JSONValue {
        let numbers = node.numbers
        return [
            "name": .string(node.name), "kind": .string(node.kind), "group": .string(node.group),
            "itemsIn": .integer(Int(clamping: numbers.itemsIn)), "itemsOut": .integer(Int(clamping: numbers.itemsOut)),
            "bytesIn": .integer(Int(clamping: numbers.bytesIn)), "bytesOut": .integer(Int(clamping: numbers.bytesOut)),
            "busyMilliseconds": .real(Double(node.busy) / 1e6),
            "waitInputMilliseconds": .real(Double(numbers.waitInput) / 1e6),
            "waitOutputMilliseconds": .real(Double(numbers.waitOutput) / 1e6),
            "errors": .integer(Int(clamping: numbers.errors)), "latestError": .text(numbers.latestError),
        ]
    }

    /// One JSON object a line, in order of time: `{"at":seconds,"node":"…","what":"…"}`.
    func writeTrace(to file: LineFile) throws(NodeFailure) {
        let all = traces.flatMap { trace in trace.entries.map { (trace.node, $0) } }
        for (node, entry) in all.sorted(by: { $0.1.at < $1.1.at }) {
            let line: JSONValue = [
                "at": .real(Double(entry.at) / 1e9), "node": .string(node), "what": .string(entry.what),
            ]
            file.add(line.encoded())
        }
        try file.commit()
    }
}

extension SeekOutcome {
    var text: String {
        switch self {
        case .landed(let time): time.map { "landed at \(ProbeReport.decimal($0.seconds)) s" } ?? "landed at the end"
        case .superseded: "superseded"
        case .stalled: "stalled"
        case .rejected(let reason): "rejected: \(reason)"
        }
    }
}
