public import SluiceDataflow

/// A graph that can run: checked, every reference resolved, every default filled in. Immutable.
public struct GraphPlan: Sendable, Hashable {
    public let name: String
    public let summary: String
    /// In file order.
    public let nodes: [PlannedNode]
    /// In file order; the position is the link's number in drawings and reports.
    public let links: [PlannedLink]
    /// What the failure of a node means, for every group that a node is in.
    public let groups: [String: FailurePolicy]
    /// The most that the graph can hold at once.
    public let memoryBound: MemoryBound
    /// In bytes: what the file allows.
    public let memoryLimit: Int

    /// A plan from parts that are known to fit, as tests and generators make them; groups that are not named fail the
    /// graph. Nothing is checked.
    public init(
        name: String, summary: String = "", nodes: [PlannedNode], links: [PlannedLink],
        groups: [String: FailurePolicy] = [:], memoryLimit: Int = GraphLimits.defaultMemory
    ) {
        self.name = name
        self.summary = summary
        self.nodes = nodes
        self.links = links
        var policies: [String: FailurePolicy] = [:]
        for node in nodes { policies[node.group] = groups[node.group] ?? .failGraph }
        self.groups = policies
        var bound = MemoryBound()
        for node in nodes { bound.add(workingSet: node.descriptor.workingSetBytes) }
        for link in links { bound.add(link: link.limits, payload: link.payload) }
        memoryBound = bound
        self.memoryLimit = memoryLimit
    }

    /// The node named `name`.
    public func node(_ name: String) -> PlannedNode? { nodes.first { $0.name == name } }

    /// The links that end at `node`.
    public func links(into node: String) -> [PlannedLink] { links.filter { $0.toNode == node } }

    /// The links that begin at `node`.
    public func links(outOf node: String) -> [PlannedLink] { links.filter { $0.fromNode == node } }
}

public struct PlannedNode: Sendable, Hashable {
    public let name: String
    public let kind: String
    public let group: String
    public let thread: ThreadPlacement
    /// Every option of the kind, with its default where the file says nothing.
    public let options: [String: OptionValue]
    public let descriptor: NodeDescriptor

    public init(
        name: String, group: String = GroupDeclaration.defaultName, thread: ThreadPlacement = .pool,
        options: [String: OptionValue] = [:], descriptor: NodeDescriptor
    ) {
        self.name = name
        kind = descriptor.kind
        self.group = group
        self.thread = thread
        self.options = options
        self.descriptor = descriptor
    }
}
