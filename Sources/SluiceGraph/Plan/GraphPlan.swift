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
}
public struct PlannedLink: Sendable, Hashable {
    public var fromNode: String, fromPort: String, toNode: String, toPort: String
    public var payload: PayloadKind
    public var limits: ChannelLimits
    public var overflow: OverflowPolicy
}
public struct GraphPlan: Sendable {
    public var name: String
    public var summary: String
    public var nodes: [PlannedNode]
    public var links: [PlannedLink]
    public var groups: [String: FailurePolicy]
    public var memoryBound: Int
}
