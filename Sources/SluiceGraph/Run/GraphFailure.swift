public import SluiceCore

/// Why a graph ended early: the first failure, with the node it came from.
public struct GraphFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public var graph: String
    public var node: String
    public var group: String
    public var epoch: Epoch
    public var failure: NodeFailure

    public var description: String {
        "graph '\(graph)', node '\(node)' (group '\(group)', \(epoch)): \(failure)"
    }
}
