public import SluiceCore
public import SluiceDataflow

public struct PlannedLink: Sendable, Hashable {
    public var fromNode: String
    public var fromPort: String
    public var toNode: String
    public var toPort: String
    public var payload: PayloadKind
    /// Means nothing for `bytes`, which is a window and not a queue.
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

    /// This link and the one behind a filter that is left out, as one: the smaller of each bound, dropping if one drops.
    func joined(with next: PlannedLink) -> PlannedLink {
        var link = self
        link.toNode = next.toNode
        link.toPort = next.toPort
        link.limits.bytes = min(limits.bytes, next.limits.bytes)
        link.limits.items = min(limits.items, next.limits.items)
        link.limits.span = [limits.span, next.limits.span].compactMap(\.self).min()
        if overflow == .suspend { link.overflow = next.overflow }
        return link
    }
}
