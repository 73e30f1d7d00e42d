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
    /// Whether there are title facts; without, packets pass.
    private let repairs: Bool
    // Only this actor's own calls touch it, one after the other: a check at each access would cost as much as the rule.
    @exclusivity(unchecked) private var repair: PacketRepair
    private var reported = PacketRepair.Counts()
    /// Brings in the RPUs of another stream.
    private var joiner: EnhancementJoiner?
    private let joins: Bool

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        let facts = context.optionalResource(TitleFacts.self)
        repairs = facts != nil
        repair = PacketRepair(
            facts ?? TitleFacts(formatName: "", streams: [], origin: Timestamp(0, .nanoseconds)))
        joiner = facts.flatMap { EnhancementJoiner($0) }
        joins = joiner != nil
    }

    public func step(_ packet: consuming Packet) throws(NodeFailure) {
        guard repairs else { return output.stage(packet) }
        let stream = packet.stream
        let shown = joins ? packet.presentationPosition : nil
        if let shown, stream == joiner?.layer { return stage(joiner?.layer(packet, at: shown) ?? []) }
        switch repair.repair(packet) {
        case .drop: break
        case .place(let placed):
            guard let shown, stream == joiner?.base else {
                output.stage(placed)
                break
            }
            stage(joiner?.picture(placed, at: shown) ?? [])
        case .unplaced:
            metrics.countError(
                NodeFailure(.malformedInput, "stream \(stream.index): a packet without a presentation time was dropped")
            )
        }
        if repair.counts != reported {
            reported = repair.counts
            metrics.setRepairs(reported.named)
        }
    }

    public func drain() { stage(joiner?.drain() ?? []) }

    private func stage(_ packets: [Packet]) {
        for packet in packets { output.stage(packet) }
    }

    /// Behind this node packets are in output time, so the epoch's map is the identity from here on.
    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        guard repairs, case .segment(let map) = event else { return .forward }
        await output.send(.segment(TimelineSegment(start: map.start, sourceStart: map.start)))
        return .consume
    }

    public func flush() {
        repair.restart()
        joiner?.restart()
    }
}
