public import SluiceDataflow

/// The kinds of node that graph files may name, by their descriptors.
///
/// Graphs are checked against it without any node being made, so tools and tests can bring toy kinds.
public struct NodeCatalog: Sendable {
    public let descriptors: [String: NodeDescriptor]

    /// Of two descriptors with one kind the later one counts.
    public init(_ descriptors: some Sequence<NodeDescriptor>) {
        self.descriptors = Dictionary(descriptors.map { ($0.kind, $0) }) { $1 }
    }

    public subscript(kind: String) -> NodeDescriptor? { descriptors[kind] }

    /// Sorted.
    public var kinds: [String] { descriptors.keys.sorted() }
}
