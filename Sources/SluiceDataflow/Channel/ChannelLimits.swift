/// How much a channel may hold. It is full as soon as any bound is reached.
public struct ChannelLimits: Sendable, Hashable {
    /// Heap bytes of the payloads; exceeded by at most one item, so that a bound can never wedge.
    public var bytes: Int
    /// Between first and last payload; nil where payloads carry no time.
    public var span: Duration?
    /// Backstop against floods of tiny items.
    public var items: Int

    public init(bytes: Int = 10 << 20, span: Duration? = .seconds(1), items: Int = 4096) {
        self.bytes = bytes
        self.span = span
        self.items = items
    }
}

/// Payload bytes after which a port ends its batch: what lies there is beyond the bounds of the channel.
@usableFromInline let batchBytes = 128 << 10

/// What a full channel does with one more payload. Events are never dropped.
public enum OverflowPolicy: String, Sendable, Hashable, CaseIterable {
    /// The producer waits.
    case suspend
    /// The oldest payload makes room.
    case dropOldest
    /// The new payload is discarded.
    case dropNewest
}
