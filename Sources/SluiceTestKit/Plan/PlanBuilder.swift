public import SluiceDataflow
public import SluiceGraph

/// A short way to write plans in tests. Nothing is checked; ends are written `node.port`.
public struct PlanBuilder {
    public let name: String
    private var nodes: [PlannedNode] = []
    private var links: [PlannedLink] = []
    private var groups: [String: FailurePolicy] = [:]

    public init(_ name: String = "test") { self.name = name }

    /// - Parameter thread: nil puts kinds that may block on a lane, others on the pool.
    public mutating func node<Kind: Node>(
        _ name: String, _ kind: Kind.Type, group: String = "main", thread: ThreadPlacement? = nil,
        options: [String: OptionValue] = [:]
    ) {
        let descriptor = Kind.descriptor
        if groups[group] == nil { groups[group] = .failGraph }
        nodes.append(
            PlannedNode(
                name: name, group: group, thread: thread ?? (descriptor.mayBlock ? .dedicated : .pool),
                options: options, descriptor: descriptor))
    }

    public mutating func group(_ name: String, _ policy: FailurePolicy) { groups[name] = policy }

    public mutating func link(
        _ from: String, _ to: String, limits: ChannelLimits = ChannelLimits(), overflow: OverflowPolicy = .suspend
    ) {
        let (source, target) = (Self.end(from), Self.end(to))
        let descriptor = nodes.first { $0.name == source.node }?.descriptor
        guard let payload = descriptor?.output(source.port)?.payload else {
            preconditionFailure("no output '\(from)'; declare nodes before links")
        }
        links.append(PlannedLink(from: source, to: target, payload: payload, limits: limits, overflow: overflow))
    }

    /// Links nodes with the ports `out` and `in` one after the other.
    public mutating func chain(
        _ names: String..., limits: ChannelLimits = ChannelLimits(), overflow: OverflowPolicy = .suspend
    ) {
        for (from, to) in zip(names, names.dropFirst()) {
            link("\(from).out", "\(to).in", limits: limits, overflow: overflow)
        }
    }

    public var plan: GraphPlan { GraphPlan(name: name, nodes: nodes, links: links, groups: groups) }

    private static func end(_ text: String) -> (node: String, port: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        precondition(parts.count == 2, "'\(text)' is no end of a link; expected node.port")
        return (String(parts[0]), String(parts[1]))
    }
}
