public import SluiceCore
public import SluiceDataflow

/// Where finished segments go, and how far production may run ahead. Injected by the host.
///
/// All members may be called from any thread and return at once.
public protocol SegmentDestination: Sendable {
    /// Takes a finished fragment.
    func publish(_ fragment: Fragment) throws(NodeFailure)
    /// Whether the fragment of this index may be produced now; a publisher that may not, parks.
    func admits(index: Int) -> Bool
    /// Wakes the publisher whenever the answer of ``admits(index:)`` may have changed.
    func attach(_ waker: Waker)
    /// The producer has made all there is.
    func ended(_ reason: EndReason)
}

/// Hands finished segments to the host and keeps production within reach of what is wanted.
public actor SegmentPublisherNode: SinkNode {
    public static let descriptor = NodeDescriptor(
        kind: "segment-publisher",
        ports: [
            .input("fragments", .fragment),
            .input("cues", .cue, required: false),
            .input("bitmaps", .bitmap, required: false),
        ],
        landing: true,
        summary: "Publishes finished segments to the host's store."
    )

    public let core: NodeCore
    public let input: InputPort<Fragment>
    private let destination: any SegmentDestination

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        // One at a time: what is taken out of the channel is beyond its bound.
        input = try context.input("fragments", batch: 1)
        destination = try context.resource((any SegmentDestination).self)
        destination.attach(core.waker)
    }

    public func consume(_ fragment: Fragment) async throws(NodeFailure) {
        try destination.publish(fragment)
        guard case .media(let index) = fragment.role else { return }
        while !destination.admits(index: index + 1) {
            if core.isCancelled || core.inbox.hasMessages || input.isStale { return }
            await core.park()
        }
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) {
        if case .endOfStream(let reason) = event { destination.ended(reason) }
    }
}
