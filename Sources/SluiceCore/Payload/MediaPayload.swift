/// What flows through a link. One kind a port; the graph file's links are checked on it.
public enum PayloadKind: String, Sendable, Hashable, CaseIterable {
    case bytes, packet, frame, fragment, cue, bitmap
}

/// A value that flows from node to node: Copyable, copy-on-write over reference-counted media memory.
public protocol MediaPayload: Sendable {
    static var kind: PayloadKind { get }
    /// Heap bytes this value keeps alive. Channels are bounded on the sum.
    var byteCost: Int { get }
    /// Position on the source's timeline, in nanoseconds; nil where the payload carries no time.
    ///
    /// Channels bound the span between their oldest and newest payload on it, so only differences matter.
    var timelinePosition: Int64? { get }
    /// When it is shown or heard, in nanoseconds on the same timeline; nil where the payload carries no time.
    var presentationPosition: Int64? { get }
}

extension MediaPayload {
    public var presentationPosition: Int64? { timelinePosition }
}

/// A payload or an event; the two keep their order.
public enum Item<Payload: MediaPayload>: Sendable {
    case payload(Payload)
    /// In a box of its own: an event may hold whole formats, and items are moved at every hop.
    indirect case event(StreamEvent)
}
