public import SluiceCore

/// A stage of a graph: an actor whose only entry point is ``run()``.
///
/// Nothing outside calls its methods, so a seek can never interleave with half a `process`: control goes through the
/// inbox and is taken between two items. It is created, run and freed inside one child task, on its lane if it has one.
public protocol Node: Actor {
    static var descriptor: NodeDescriptor { get }
    /// All ports exist already. Must not block unless the descriptor says `mayBlock`.
    init(context: NodeContext) throws(NodeFailure)
    /// Returns when its inputs are closed or the node is cancelled; anything else is a failure.
    func run() async throws(NodeFailure)
}

/// What a filter does with an event after handling it.
public enum EventDisposition: Sendable, Hashable {
    case forward
    /// The node has sent what is to be sent in its place.
    case consume
}

/// One input, one output.
public protocol FilterNode: Node {
    associatedtype Input: MediaPayload
    associatedtype Output: MediaPayload
    var input: InputPort<Input> { get }
    var output: OutputPort<Output> { get }
    func process(_ payload: Input) async throws(NodeFailure)
    /// Called before the event is forwarded; `endOfStream` comes after ``drain()``.
    func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition
    /// Send everything that is buffered: the stream ends here, but a seek may follow.
    func drain() async throws(NodeFailure)
    /// Forget everything that belongs to the epoch that ended.
    func flush()
    func apply(_ control: ControlMessage) async throws(NodeFailure)
}

/// What one call of ``SourceNode/produce()`` achieved.
public enum ProduceResult: Sendable, Hashable {
    case produced
    /// Nothing now; the node's waker will fire when there is.
    case wouldBlock
    case ended(EndReason)
}

/// Makes the timeline.
public protocol SourceNode: Node {
    var core: NodeCore { get }
    var outputs: [any AnyOutputPort] { get }
    /// Sends a bounded amount (about one packet) to its outputs.
    func produce() async throws(NodeFailure) -> ProduceResult
    /// Moves to the target, then sends the sticky events of the new epoch. Throws only what must fail the graph; a
    /// target that cannot be reached is a returned reason.
    func seek(_ request: SeekRequest) async throws(NodeFailure) -> String?
    func apply(_ control: ControlMessage) async throws(NodeFailure)
}

/// Takes payloads and sends nothing on.
public protocol SinkNode: Node {
    associatedtype Input: MediaPayload
    var core: NodeCore { get }
    var input: InputPort<Input> { get }
    func consume(_ payload: Input) async throws(NodeFailure)
    func handle(_ event: StreamEvent) async throws(NodeFailure)
    func flush()
    func apply(_ control: ControlMessage) async throws(NodeFailure)
}

extension Node {
    public func apply(_ control: ControlMessage) async throws(NodeFailure) {}
}

extension FilterNode {
    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition { .forward }
    public func drain() async throws(NodeFailure) {}
    public func flush() {}
}

extension SinkNode {
    public func handle(_ event: StreamEvent) async throws(NodeFailure) {}
    public func flush() {}
}
