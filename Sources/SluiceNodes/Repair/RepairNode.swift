public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Puts every packet on the title's output timeline.
///
/// Without title facts (a probe) packets pass untouched. All it decides comes from the facts and from the packet
/// itself, so that a producer that starts anywhere sends the same packets as a straight run.
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
    private let facts: TitleFacts?
    /// By stream index; nil for streams that are not served.
    private var rules: [PlacementRule?]
    /// Looks at pictures where the container's marks are wrong.
    private var inspector: PictureInspector?

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        facts = context.optionalResource(TitleFacts.self)
        rules = facts.map(Self.rules) ?? []
        if let facts, facts.ignoresKeyFlags, let video = facts.video, let format = facts.format(video) {
            inspector = PictureInspector(format, framing: facts.framings[video])
        }
    }

    public func step(_ packet: Packet) throws(NodeFailure) {
        guard let facts else { return output.stage(packet) }
        let index = packet.stream.index
        guard rules.indices.contains(index),
            let verdict = rules[index]?.verdict(
                presentation: packet.presentationTicks, decode: packet.decodeTicks, duration: packet.durationTicks,
                position: packet.filePosition)
        else { return }
        guard case .place(let presentation, let duration) = verdict, let clock = facts.clocks[packet.stream] else {
            if verdict == .unplaced {
                metrics.countError(
                    NodeFailure(.malformedInput, "stream \(index): a packet without a presentation time was dropped"))
            }
            return
        }
        var placed = packet
        placed.setTimes(presentation: presentation, decode: nil, duration: duration, in: clock.timebase)
        if packet.stream == facts.video, inspector != nil {
            let isFlagged = packet.isKeyframe
            let kind = packet.withUnsafeBytes { inspector?.look($0, isFlagged: isFlagged) }
            placed.setKeyframe(kind?.isRandomAccessPoint ?? isFlagged)
        }
        output.stage(placed)
    }

    public func flush() { rules = facts.map(Self.rules) ?? [] }

    private static func rules(_ facts: TitleFacts) -> [PlacementRule?] {
        facts.streams.map { format in
            facts.clocks[format.id].map { PlacementRule(facts, format.id, clock: $0) }
        }
    }
}
