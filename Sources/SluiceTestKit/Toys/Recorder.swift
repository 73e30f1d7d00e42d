public import SluiceCore

/// What the recording sinks of a graph saw, in order; a resource.
public final class Recorder<Payload: MediaPayload>: Sendable {
    public struct Entry: Sendable {
        public var node: String
        public var epoch: Epoch
        public var item: Item<Payload>
    }

    private let state = Locked<[Entry]>([])

    public init() {}

    public func record(_ entry: Entry) { state.withLock { $0.append(entry) } }

    public var entries: [Entry] { state.withLock { $0 } }
    public var count: Int { state.withLock { $0.count } }

    /// Items of a node, optionally of one epoch only.
    public func items(of node: String, in epoch: Epoch? = nil) -> [Item<Payload>] {
        entries.filter { $0.node == node && (epoch == nil || $0.epoch == epoch) }.map(\.item)
    }

    /// Payloads of a node, optionally of one epoch only.
    public func payloads(of node: String, in epoch: Epoch? = nil) -> [Payload] {
        items(of: node, in: epoch).payloads()
    }
}
