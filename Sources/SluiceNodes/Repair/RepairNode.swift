public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Puts every packet on the title's output timeline.
///
/// Without title facts (a probe) packets pass untouched. All it decides comes from the facts and from the packet
/// itself, so that a producer that starts anywhere sends the same packets as a straight run.
public actor RepairNode: FilterNode {
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
    private let facts: TitleFacts?
    /// By stream index; nil for streams that are not served.
    private let clocks: [TrackClock?]

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        facts = context.optionalResource(TitleFacts.self)
        clocks = facts.map { facts in facts.streams.map { facts.clocks[$0.id] } } ?? []
    }

    public func process(_ packet: Packet) async throws(NodeFailure) {
        guard facts != nil else { return await output.send(packet) }
        let index = packet.stream.index
        guard clocks.indices.contains(index), let clock = clocks[index] else { return }
        var placed = packet
        // A stream without reordering presents what it decodes when it decodes it.
        guard let stamp = packet.presentationTicks ?? packet.decodeTicks else {
            metrics.countError(NodeFailure(.malformedInput, "stream \(index): a packet without any timestamp was dropped"))
            return
        }
        let place = clock.output(stamp)
        // Sound from before the title's origin has no place on an output that begins at 0 (behaviours PP-08).
        guard place >= 0 || packet.stream == facts?.video else { return }
        let length = packet.durationTicks.rescaled(from: clock.source, to: clock.timebase)
        placed.setTimes(presentation: place, decode: nil, duration: length, in: clock.timebase)
        await output.send(placed)
    }
}
