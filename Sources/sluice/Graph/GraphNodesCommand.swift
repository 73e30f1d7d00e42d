import SluiceCommand
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes

/// `sluice graph nodes`: the kinds of node that graph files may name.
struct GraphNodesCommand: Command {
    static let spec = CommandSpec(
        "graph nodes", "Lists the kinds of node, or the ports and options of one.",
        positionals: [PositionalSpec("kind", .optional, "Kind of node.")])

    func run(_ context: CommandContext) async throws -> ExitCode {
        let catalog = NodeCatalog.standard
        guard let kind = context.arguments.argument("kind") else {
            let all = catalog.kinds.compactMap { catalog[$0] }
            var table = TextTable(["kind", "role", "summary"])
            for descriptor in all { table.add([descriptor.kind, descriptor.role, descriptor.summary]) }
            context.emit(
                text: table.text, json: (["nodes": .array(all.map(\.json))] as JSONValue).encoded())
            return .ok
        }
        guard let descriptor = catalog[kind] else {
            let near = Suggestion.nearest(to: kind, among: catalog.kinds)
            throw UsageError(
                .invalidValue, "no node kind '\(kind)'",
                hint: near.map { "did you mean '\($0)'?" } ?? "'sluice graph nodes' lists them")
        }
        context.emit(text: descriptor.text, json: descriptor.json.encoded())
        return .ok
    }
}

extension NodeDescriptor {
    var role: String { isSink ? "sink" : (isSource ? "source" : "filter") }

    /// The kind's page.
    var text: String {
        var lines = ["\(kind) (\(role)): \(summary)"]
        if mayBlock { lines.append("May block: needs \"thread\": \"dedicated\".") }
        if workingSetBytes > 0 { lines.append("Holds at most \(Units.text(bytes: workingSetBytes)) of its own.") }
        if lookAhead > .zero { lines.append("Output lags input by up to \(Units.text(lookAhead)).") }
        var portTable = TextTable(["port", "direction", "payload", ""])
        for port in ports {
            portTable.add([
                port.name, port.direction.rawValue, port.payload.rawValue, port.required ? "" : "may stay unlinked",
            ])
        }
        lines += ["", portTable.text]
        if !options.isEmpty {
            var table = TextTable(["option", "type", "range", "default", "summary"])
            for option in options {
                table.add([
                    option.name, option.kind.typeName, option.kind.range,
                    option.defaultValue.map(\.description) ?? "(required)",
                    option.summary + (option.mutable ? " May change while the graph runs." : ""),
                ])
            }
            lines += ["", table.text]
        }
        return lines.joined(separator: "\n")
    }

    /// The kind as `--json` prints it.
    var json: JSONValue {
        [
            "kind": .string(kind), "role": .string(role), "summary": .string(summary), "mayBlock": .boolean(mayBlock),
            "landing": .boolean(landing), "workingSetBytes": .integer(workingSetBytes),
            "ports": .array(
                ports.map { port in
                    [
                        "name": .string(port.name), "direction": .string(port.direction.rawValue),
                        "payload": .string(port.payload.rawValue), "required": .boolean(port.required),
                    ]
                }),
            "options": .array(
                options.map { option in
                    [
                        "name": .string(option.name), "type": .string(option.kind.typeName),
                        "range": .string(option.kind.range),
                        "default": option.defaultValue.map { .string($0.description) } ?? .null,
                        "required": .boolean(option.defaultValue == nil), "mutable": .boolean(option.mutable),
                        "summary": .string(option.summary),
                    ]
                }),
        ]
    }
}

extension OptionDescriptor.Kind {
    /// What values are allowed, in a few words; empty where the type says it all.
    var range: String {
        switch self {
        case .boolean: ""
        case .integer(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .real(let range): "\(range.lowerBound)…\(range.upperBound)"
        case .string(let limit): "at most \(limit) bytes"
        case .choice(let words): words.joined(separator: "|")
        case .duration(let range): "\(Units.text(range.lowerBound))…\(Units.text(range.upperBound))"
        case .byteSize(let range): "\(Units.text(bytes: range.lowerBound))…\(Units.text(bytes: range.upperBound))"
        case .stringList(let limit): "at most \(limit) entries"
        }
    }
}
