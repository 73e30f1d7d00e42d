public import SluiceDataflow

/// A graph file as it was written: every value with its place, nothing resolved, nothing checked against node kinds.
public struct GraphFile: Sendable {
    /// Schema that this version reads.
    public static let schema = "sluice/1"
    /// Nodes of a graph; bounds the work of validation.
    public static let maximumNodes = 128
    public static let maximumLinks = 512

    /// Name of the file as the caller gave it.
    public var file: String
    /// The document's opening brace.
    public var location: SourceLocation
    public var name: Located<String>?
    public var summary: Located<String>?
    public var select: SelectionRule?
    /// In file order.
    public var options: [GraphOption] = []
    public var limits = GraphLimits()
    public var groups: [GroupDeclaration] = []
    /// Place of the `nodes` key.
    public var nodesLocation: SourceLocation
    public var nodes: [NodeDeclaration] = []
    public var links: [LinkDeclaration] = []
    /// What was wrong with the text itself; ``GraphValidator`` includes it.
    public var findings: [GraphDiagnostic] = []

    init(file: String, location: SourceLocation) {
        self.file = file
        self.location = location
        nodesLocation = location
    }

    /// The node named `name`.
    public func node(_ name: String) -> NodeDeclaration? { nodes.first { $0.name.value == name } }

    /// A link's own limits, else the file's, else the defaults; not positive ones as 1.
    public func limits(of link: LinkDeclaration) -> ChannelLimits {
        let fallback = ChannelLimits()
        return ChannelLimits(
            bytes: max(1, (link.limits.bytes ?? limits.channel.bytes)?.value ?? fallback.bytes),
            span: max(
                .nanoseconds(1), (link.limits.span ?? limits.channel.span)?.value ?? fallback.span ?? .seconds(1)),
            items: max(1, (link.limits.items ?? limits.channel.items)?.value ?? fallback.items))
    }
}

/// `limits` of a graph: its memory and what a channel may hold unless its link says otherwise.
public struct GraphLimits: Sendable {
    /// 256 MiB.
    public static let defaultMemory = 256 << 20

    /// In bytes.
    public var memory: Located<Int>?
    public var channel = LinkLimits()

    init() {}
}

/// Bounds of a link that the file states.
public struct LinkLimits: Sendable {
    public var bytes: Located<Int>?
    public var span: Located<Duration>?
    public var items: Located<Int>?

    init() {}
}
