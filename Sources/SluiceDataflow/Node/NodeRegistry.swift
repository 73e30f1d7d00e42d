public import SluiceCore

/// The kinds of node a runner can make, and the payloads it can link. Injected, so that the runner knows no stage.
public struct NodeRegistry: Sendable {
    public typealias Run = @Sendable (NodeContext) async throws(NodeFailure) -> Void
    typealias MakeChannel = @Sendable (ChannelLimits, OverflowPolicy) -> any AnyChannel

    private var kinds: [String: (type: any Node.Type, descriptor: NodeDescriptor, run: Run)] = [:]
    private var channels: [PayloadKind: MakeChannel] = [.bytes: { _, _ in ByteLink() }]

    public init() {}

    /// A later registration of the same kind replaces the earlier one.
    public mutating func register<Kind: Node>(_ type: Kind.Type) {
        kinds[Kind.descriptor.kind] = (
            type, Kind.descriptor,
            { context async throws(NodeFailure) in
                // Made, run and freed here, so that all three happen on the node's lane.
                let node = try Kind(context: context)
                try await node.run()
            }
        )
    }

    public mutating func register<Payload: MediaPayload>(payload type: Payload.Type) {
        channels[Payload.kind] = { limits, overflow in Channel<Payload>(limits: limits, overflow: overflow) }
    }

    /// All registered kinds, sorted by name.
    public var descriptors: [NodeDescriptor] {
        kinds.values.map(\.descriptor).sorted { $0.kind < $1.kind }
    }

    public func descriptor(_ kind: String) -> NodeDescriptor? { kinds[kind]?.descriptor }

    /// The registered type, for harnesses that make nodes by the name of their kind.
    public func type(of kind: String) -> (any Node.Type)? { kinds[kind]?.type }

    public func run(_ kind: String) -> Run? { kinds[kind]?.run }

    /// Nil where no payload type of that kind is registered.
    public func makeChannel(
        _ kind: PayloadKind, limits: ChannelLimits, overflow: OverflowPolicy
    ) -> (any AnyChannel)? {
        channels[kind]?(limits, overflow)
    }
}
