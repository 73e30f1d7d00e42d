public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Puts every packet on the title's output timeline.
///
/// Without title facts (a probe) packets pass untouched. What was mended is counted by family in the node's numbers.
///
/// - Note: behaviours RP-41.
public actor RepairNode: DirectFilterNode {
    public static let descriptor = NodeDescriptor(
        kind: "repair",
        ports: [
            .input("packets", .packet),
            .output("packets", .packet),
        ],
        summary: "Repairs timestamps and places packets on the title's timeline."
    )

    public let input: InputPort<Packet>
    public let output: OutputPort<Packet>
    private let metrics: NodeMetrics
    /// Nil without title facts.
    private var repair: PacketRepair?
    private var reported = PacketRepair.Counts()
    /// Brings in the RPUs of another stream.
    private var joiner: EnhancementJoiner?

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        let facts = context.optionalResource(TitleFacts.self)
        repair = facts.map { PacketRepair($0) }
        joiner = facts.flatMap { EnhancementJoiner($0) }
    }

    public func step(_ packet: consuming Packet) throws(NodeFailure) {
        guard repair != nil else { return output.stage(packet) }
        let index = packet.stream.index
        let stream = packet.stream
        let shown = joiner == nil ? nil : packet.presentationPosition
        if let shown, stream == joiner?.layer { return stage(joiner?.layer(packet, at: shown) ?? []) }
        switch repair?.repair(packet) {
        case nil, .drop: break
        case .place(let placed):
            guard let shown, stream == joiner?.base else {
                output.stage(placed)
                break
            }
            stage(joiner?.picture(placed, at: shown) ?? [])
        case .unplaced:
            metrics.countError(
                NodeFailure(.malformedInput, "stream \(index): a packet without a presentation time was dropped"))
        }
        if let counts = repair?.counts, counts != reported {
            reported = counts
            metrics.setRepairs(counts.named)
        }
    }

    public func drain() { stage(joiner?.drain() ?? []) }

    private func stage(_ packets: [Packet]) {
        for packet in packets { output.stage(packet) }
    }

    /// Behind this node packets are in output time, so the epoch's map is the identity from here on.
    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        guard repair != nil, case .segment(let map) = event else { return .forward }
        await output.send(.segment(TimelineSegment(start: map.start, sourceStart: map.start)))
        return .consume
    }

    public func flush() {
        repair?.restart()
        joiner?.restart()
    }
}
