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

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        repair = context.optionalResource(TitleFacts.self).map { PacketRepair($0) }
    }

    public func step(_ packet: consuming Packet) throws(NodeFailure) {
        guard repair != nil else { return output.stage(packet) }
        let index = packet.stream.index
        switch repair?.repair(packet) {
        case nil, .drop: break
        case .place(let placed): output.stage(placed)
        case .unplaced:
            metrics.countError(
                NodeFailure(.malformedInput, "stream \(index): a packet without a presentation time was dropped"))
        }
        if let counts = repair?.counts, counts != reported {
            reported = counts
            metrics.setRepairs(counts.named)
        }
    }

    /// Behind this node packets are in output time, so the epoch's map is the identity from here on.
    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        guard repair != nil, case .segment(let map) = event else { return .forward }
        await output.send(.segment(TimelineSegment(start: map.start, sourceStart: map.start)))
        return .consume
    }

    public func flush() { repair?.restart() }
}
