public import SluiceCore

/// State changes of a running graph; numbers are in ``GraphRunner/snapshot()``.
public enum GraphEvent: Sendable, Hashable {
    case phase(RunnerPhase)
    /// A group with `onFailure: isolate` ended; the rest goes on.
    case nodeFailed(node: String, group: String, failure: NodeFailure)
    /// A seek whose outcome was `.stalled` landed after all.
    case lateLanding(SeekID, Timestamp?)
    /// The source broke off; what was produced stays valid.
    case truncated(String)
    /// No progress for two seconds although something is wanted; the node is the one that is busy.
    case stalled(node: String)
    /// No progress, and every node waits for another.
    case deadlocked(String)
    /// Nodes that did not stop within the join deadline and were left behind.
    case abandoned(nodes: [String])
    /// A line from a node.
    case notice(node: String, String)
}
