public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Counts and hashes the packets of every stream; the oracle of tests and the sink of probes.
public actor HashSinkNode: SinkNode {
    public static let descriptor = NodeDescriptor(
        kind: "hash-sink",
        ports: [.input("packets", .packet)],
        options: [
            OptionDescriptor(
                "algorithm", .choice(["MD5", "SHA256", "CRC32"]), default: .string("MD5"), "Hash of each payload.")
        ],
        landing: true,
        summary: "Counts and hashes packets, stream by stream."
    )

    public let core: NodeCore
    public let input: InputPort<Packet>
    private let digest: PacketDigest?
    private let recorder: RunRecorder?
    private var hasher: PayloadHasher
    private var pending: [StreamID: PacketDigest.Stream] = [:]
    private var sincePublish = 0

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("packets")
        digest = context.optionalResource(PacketDigest.self)
        recorder = context.optionalResource(RunRecorder.self)
        hasher = try PayloadHasher(algorithm: try context.string("algorithm"))
    }

    public func consume(_ packet: Packet) async throws(NodeFailure) {
        let hash = hasher.hash(packet)
        pending[packet.stream, default: PacketDigest.Stream()].add(packet)
        sincePublish += 1
        if sincePublish >= 256 { publish() }
        recorder?.packet(packet, hash: hash, epoch: input.epoch)
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) {
        recorder?.event(event, epoch: input.epoch)
        publish()
    }

    private func publish() {
        sincePublish = 0
        digest?.merge(pending)
        pending = [:]
    }
}
