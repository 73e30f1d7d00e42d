import SluiceAV
import SluiceCore
import SluiceDataflow

/// What the host does with a packet; the graph waits until it returns.
struct PacketHandler: Sendable {
    let take: @Sendable (Packet) async -> Void
}

/// A sink of the host's own.
actor HostSinkNode: SinkNode {
    static let descriptor = NodeDescriptor(
        kind: "host-sink", ports: [.input("packets", .packet)], summary: "Hands every packet to the host.")

    let core: NodeCore
    let input: InputPort<Packet>
    private let handler: PacketHandler

    init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("packets")
        handler = try context.resource(PacketHandler.self)
    }

    func consume(_ packet: Packet) async throws(NodeFailure) { await handler.take(packet) }
}
