public import SluiceAV
import SluiceBitstream
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
    /// Looks at pictures where the container's marks are wrong, or packets are parts of pictures.
    private var inspector: PictureInspector?
    /// Where the last picture was placed; nil where it was dropped.
    private var lastPicture: Int64?

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        facts = context.optionalResource(TitleFacts.self)
        rules = facts.map(Self.rules) ?? []
        if let facts, facts.ignoresKeyFlags || facts.joinsPackets || facts.hasLadder, let video = facts.video,
            let format = facts.format(video)
        {
            inspector = PictureInspector(format, framing: facts.framings[video])
        }
    }

    public func step(_ packet: consuming Packet) throws(NodeFailure) {
        guard let facts else { return output.stage(packet) }
        let index = packet.stream.index
        let isPicture = packet.stream == facts.video
        if isPicture, packet.isCutOff(facts.formatName) { return }
        if isPicture, facts.joinsPackets, !isWild(packet),
            packet.withUnsafeBytes({ inspector?.place($0).continues ?? false })
        {
            return join(packet, facts)
        }
        if isPicture { lastPicture = nil }
        // A packet of a ladder is never joined to another, so it is shown to the inspector once.
        let order =
            isPicture && facts.hasLadder ? packet.withUnsafeBytes { inspector?.place($0).order } : nil
        guard rules.indices.contains(index),
            let verdict = rules[index]?.verdict(
                presentation: packet.presentationTicks, decode: packet.decodeTicks, duration: packet.durationTicks,
                position: packet.filePosition, order: order)
        else { return }
        guard case .place(let presentation, let duration) = verdict, let clock = facts.clocks[packet.stream] else {
            if verdict == .unplaced {
                metrics.countError(
                    NodeFailure(.malformedInput, "stream \(index): a packet without a presentation time was dropped"))
            }
            return
        }
        packet.setTimes(presentation: presentation, decode: nil, duration: duration, in: clock.timebase)
        if isPicture { lastPicture = presentation }
        if isPicture, facts.ignoresKeyFlags {
            let isFlagged = packet.isKeyframe
            let kind = packet.withUnsafeBytes { inspector?.look($0, isFlagged: isFlagged) }
            packet.setKeyframe(kind?.isRandomAccessPoint ?? isFlagged)
        }
        output.stage(packet)
    }

    /// Behind this node packets are in output time, so the epoch's map is the identity from here on.
    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        guard facts != nil, case .segment(let map) = event else { return .forward }
        await output.send(.segment(TimelineSegment(start: map.start, sourceStart: map.start)))
        return .consume
    }

    public func flush() {
        rules = facts.map(Self.rules) ?? []
        lastPicture = nil
        inspector?.restart()
    }

    private func isWild(_ packet: Packet) -> Bool {
        PlacementRule.isWild(
            presentation: packet.presentationTicks, decode: packet.decodeTicks, packet.timebase)
    }

    /// The rest of a picture goes where the picture went.
    private func join(_ packet: Packet, _ facts: TitleFacts) {
        guard let lastPicture, let clock = facts.clocks[packet.stream] else { return }
        var placed = packet
        // A frame that is shown says when; the second field of a frame is shown with it.
        let own = inspector?.codec == .vp9 ? packet.presentationTicks.map { clock.output($0) } : nil
        placed.setTimes(presentation: own ?? lastPicture, decode: nil, duration: 0, in: clock.timebase)
        placed.setKeyframe(false)
        placed.setContinuesPicture(true)
        output.stage(placed)
    }

    private static func rules(_ facts: TitleFacts) -> [PlacementRule?] {
        facts.streams.map { format in
            facts.clocks[format.id].map { PlacementRule(facts, format.id, clock: $0) }
        }
    }
}
