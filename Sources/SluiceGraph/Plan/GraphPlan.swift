public import SluiceCore
public import SluiceDataflow

public enum FailurePolicy: String, Sendable, Hashable { case failGraph, isolate }
public struct PlannedNode: Sendable, Hashable {
    public var name: String
    public var kind: String
    public var group: String
    public var dedicated: Bool
    public var options: [String: OptionValue]
    public var descriptor: NodeDescriptor
    public init(
        name: String, group: String = "main", dedicated: Bool = false,
        options: [String: OptionValue] = [:], descriptor: NodeDescriptor
    ) {
        self.name = name
        kind = descriptor.kind
        self.group = group
        self.dedicated = dedicated
        self.options = options
        self.descriptor = descriptor
    }
}
public struct PlannedLink: Sendable, Hashable {
    public var fromNode: String, fromPort: String, toNode: String, toPort: String
    public var payload: PayloadKind
    public var limits: ChannelLimits
    public var overflow: OverflowPolicy
    public init(
        from: (node: String, port: String), to: (node: String, port: String), payload: PayloadKind,
        limits: ChannelLimits = ChannelLimits(), overflow: OverflowPolicy = .suspend
    ) {
        fromNode = from.node
        fromPort = from.port
        toNode = to.node
        toPort = to.port
        self.payload = payload
        self.limits = limits
        self.overflow = overflow
    }
}
public struct GraphPlan: Sendable {
    public var name: String
    public var summary: String
    public var nodes: [PlannedNode]
    public var links: [PlannedLink]
    public var groups: [String: FailurePolicy]
    public var memoryBound: Int
    public init(
        name: String, summary: String = "", nodes: [PlannedNode], links: [PlannedLink],
        groups: [String: FailurePolicy] = [:]
    ) {
        self.name = name
        self.summary = summary
        self.nodes = nodes
        self.links = links
        self.groups = groups
        memoryBound = 0
    }
}
