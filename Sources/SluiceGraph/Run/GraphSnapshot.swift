public import SluiceCore
public import SluiceDataflow

/// All numbers of a graph at one moment.
public struct GraphSnapshot: Sendable, Hashable {
    public struct NodeState: Sendable, Hashable {
        public var name: String
        public var kind: String
        public var group: String
        public var numbers: NodeNumbers
        /// Nanoseconds not spent waiting since the start. Busy and waits add up to the wall time.
        public var busy: UInt64 { numbers.busy }
    }

    public struct LinkState: Sendable, Hashable {
        public var from: String
        public var to: String
        public var payload: PayloadKind
        public var level: ChannelLevel
        public var limits: ChannelLimits
    }

    public var graph: String
    public var phase: RunnerPhase
    public var epoch: Epoch
    /// Nanoseconds since the start; 0 before it.
    public var elapsed: Int64
    public var nodes: [NodeState]
    public var links: [LinkState]
}

extension GraphSnapshot {
    /// Who waits for what, with every level and epoch: the dump of a deadlock.
    public var waitReport: String {
        var lines: [String] = []
        for node in nodes {
            lines.append(
                "\(node.name) \(node.numbers.activity) in \(node.numbers.epoch), \(node.numbers.itemsIn) in, "
                    + "\(node.numbers.itemsOut) out")
        }
        for link in links {
            let level = link.level
            lines.append(
                "\(link.from) -> \(link.to): \(level.items) items, \(level.bytes) of \(link.limits.bytes) bytes, "
                    + "\(level.span / 1_000_000) ms, \(level.epoch)\(level.closed ? ", closed" : "")")
        }
        return lines.joined(separator: "\n")
    }
}
