import SluiceCore
import SluiceDataflow

extension GraphPlan {
    /// The plan as a few lines of text for people.
    public func describe() -> String {
        var lines = [summary.isEmpty ? name : "\(name): \(summary)"]
        lines.append(
            "memory: at most \(Units.text(bytes: memoryBound.total)) of \(Units.text(bytes: memoryLimit)) "
                + "(links \(Units.text(bytes: memoryBound.links)), nodes \(Units.text(bytes: memoryBound.workingSets)))"
        )
        for (group, policy) in groups.sorted(by: { $0.key < $1.key }) {
            lines.append("group \(group): \(policy.rawValue)")
        }
        let width = nodes.map(\.name.count).max() ?? 0
        let kindWidth = nodes.map(\.kind.count).max() ?? 0
        for node in nodes {
            let options = node.options.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            let columns = [
                "node", padded(node.name, width), padded(node.kind, kindWidth), node.group,
                node.thread.rawValue,
            ]
            lines.append((columns + options).joined(separator: " "))
        }
        for (index, link) in links.enumerated() {
            lines.append("link \(index) \(link.endpoints) \(link.payload.rawValue) \(link.capacity)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The plan as `--json` prints it.
    public var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary),
            "memory": [
                "limit": .integer(memoryLimit), "links": .integer(memoryBound.links),
                "workingSets": .integer(memoryBound.workingSets),
            ],
            "groups": .object(
                groups.sorted { $0.key < $1.key }.map {
                    JSONValue.Member($0.key, ["onFailure": .string($0.value.rawValue)])
                }),
            "nodes": .array(
                nodes.map { node in
                    [
                        "name": .string(node.name), "kind": .string(node.kind), "group": .string(node.group),
                        "thread": .string(node.thread.rawValue),
                        "options": .object(
                            node.options.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.json) }),
                    ]
                }),
            "links": .array(
                links.map { link in
                    [
                        "from": .string("\(link.fromNode).\(link.fromPort)"),
                        "to": .string("\(link.toNode).\(link.toPort)"), "payload": .string(link.payload.rawValue),
                        "bytes": .integer(link.limits.bytes), "items": .integer(link.limits.items),
                        "span": link.limits.span.map { .string(Units.text($0)) } ?? .null,
                        "overflow": .string(link.overflow.rawValue),
                    ]
                }),
        ]
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension PlannedLink {
    /// `demuxer.packets -> repair.packets`.
    var endpoints: String { "\(fromNode).\(fromPort) -> \(toNode).\(toPort)" }

    /// What it holds, as text; overflow only where it drops.
    var capacity: String {
        guard payload != .bytes else { return "window" }
        var parts = [Units.text(bytes: limits.bytes)]
        if let span = limits.span { parts.append(Units.text(span)) }
        parts.append("\(limits.items) items")
        if overflow != .suspend { parts.append(overflow.rawValue) }
        return parts.joined(separator: " / ")
    }
}
