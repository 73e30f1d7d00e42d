public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Inserts the plan's segment boundaries into the packet line, one for each stream.
///
/// Pictures are cut at random access points in decode order, sound by its start time. What lies before the segment that
/// production begins with is discarded, stream by stream.
public actor CutterNode: DirectFilterNode {
    public static let descriptor = NodeDescriptor(
        kind: "cutter",
        ports: [
            .input("packets", .packet),
            .output("packets", .packet),
        ],
        summary: "Cuts the packet line at the plan's segment starts."
    )

    public let input: InputPort<Packet>
    public let output: OutputPort<Packet>
    private let facts: TitleFacts
    private let plan: TitlePlan
    /// By stream index.
    private var rules: [CutRule?] = []

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        facts = try context.resource(TitleFacts.self).delivered
        plan = try context.resource(TitlePlan.self)
        rules = Self.rules(facts, plan, first: 0)
    }

    public func step(_ packet: consuming Packet) throws(NodeFailure) {
        let index = packet.stream.index
        guard let time = packet.presentationTicks, rules.indices.contains(index),
            let decision = rules[index]?.decide(time: time, isRandomAccess: packet.isKeyframe)
        else { return }
        switch decision {
        case .drop: return
        case .keep: break
        case .missed(let index):
            throw missed(index, packet.stream, "a random access point at \(time)@\(packet.timebase) came instead")
        case .open(let index):
            output.stage(
                .boundary(
                    SegmentBoundary(
                        stream: packet.stream, index: index, start: plan.start(index), duration: plan.duration(index))))
        }
        output.stage(packet)
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        // The segment map opens every epoch: it says where this producer begins.
        if case .segment(let map) = event {
            rules = Self.rules(facts, plan, first: plan.index(at: map.start))
        }
        if case .endOfStream(.sourceEnded) = event, let video = facts.video, rules.indices.contains(video.index),
            let due = rules[video.index]?.due
        {
            throw missed(due, video, "the source ended")
        }
        return .forward
    }

    public func flush() { rules = Self.rules(facts, plan, first: 0) }

    private func missed(_ index: Int, _ stream: StreamID, _ what: String) -> NodeFailure {
        NodeFailure(
            .sourceChanged,
            "stream \(stream.index): the picture that opens segment \(index) at \(plan.start(index)) did not come; \(what)"
        )
    }

    private static func rules(_ facts: TitleFacts, _ plan: TitlePlan, first: Int) -> [CutRule?] {
        let count = (facts.clocks.keys.map(\.index).max() ?? -1) + 1
        var rules = [CutRule?](repeating: nil, count: count)
        for (stream, clock) in facts.clocks {
            let starts = plan.segments.map {
                $0.start.rescaled(from: plan.timebase, to: clock.timebase, rounding: .up)
            }
            rules[stream.index] = CutRule(starts: starts, isGated: stream == facts.video, first: first)
        }
        return rules
    }
}
