public import SluiceCore
public import SluiceDataflow

/// A landing sink that records what it gets in the host's ``Recorder``; kind `recording-sink-PAYLOAD`.
///
/// Before each payload it passes its gate of the host's ``Gates``, if there is one.
public actor RecordingSink<Payload: MediaPayload>: SinkNode {
    public static var descriptor: NodeDescriptor {
        NodeDescriptor(
            kind: "recording-sink-\(Payload.kind.rawValue)", ports: [.input("in", Payload.kind)], landing: true,
            summary: "Records what it gets.")
    }

    public let core: NodeCore
    public let input: InputPort<Payload>
    private let recording: SinkRecording<Payload>

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("in")
        recording = try SinkRecording(context)
    }

    public func consume(_ payload: Payload) async throws(NodeFailure) {
        await recording.add(.payload(payload), input.epoch)
    }
    public func handle(_ event: StreamEvent) async throws(NodeFailure) {
        await recording.add(.event(event), input.epoch)
    }
}

/// As ``RecordingSink``, but seeks do not wait for it; kind `recording-tap-PAYLOAD`.
public actor RecordingTap<Payload: MediaPayload>: SinkNode {
    public static var descriptor: NodeDescriptor {
        NodeDescriptor(
            kind: "recording-tap-\(Payload.kind.rawValue)", ports: [.input("in", Payload.kind)],
            summary: "Records what it gets; seeks do not wait for it.")
    }

    public let core: NodeCore
    public let input: InputPort<Payload>
    private let recording: SinkRecording<Payload>

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("in")
        recording = try SinkRecording(context)
    }

    public func consume(_ payload: Payload) async throws(NodeFailure) {
        await recording.add(.payload(payload), input.epoch)
    }
    public func handle(_ event: StreamEvent) async throws(NodeFailure) {
        await recording.add(.event(event), input.epoch)
    }
}

struct SinkRecording<Payload: MediaPayload>: Sendable {
    let node: String
    let recorder: Recorder<Payload>
    let gate: Gate?

    init(_ context: NodeContext) throws(NodeFailure) {
        node = context.name
        recorder = try context.resource(Recorder<Payload>.self)
        gate = context.optionalResource(Gates.self)?.byNode[context.name]
    }

    func add(_ item: Item<Payload>, _ epoch: Epoch) async {
        if case .payload = item { await gate?.pass() }
        recorder.record(.init(node: node, epoch: epoch, item: item))
    }
}
