public import SluiceAV
public import SluiceCore
public import SluiceDataflow

/// Decodes the sounds that the title's facts bridge and encodes them anew; everything else passes.
///
/// Frames stand on one grid that is counted from the title's origin, so that segments which different producers have made
/// join without a gap, a repeat or a click. Where the source has nothing, or ends before the title does, there is silence.
public actor AudioBridgeNode: FilterNode {
    public static let descriptor = NodeDescriptor(
        kind: "audio-bridge",
        ports: [
            .input("packets", .packet),
            .output("packets", .packet),
        ],
        mayBlock: true,
        workingSetBytes: 96 << 20,
        summary: "Bridges sounds that cannot be copied to a codec that players take."
    )

    public let input: InputPort<Packet>
    public let output: OutputPort<Packet>
    private let plan: TitlePlan?
    private let metrics: NodeMetrics
    private let core: NodeCore
    private var bridges: [StreamID: SoundBridge] = [:]
    private var reported: [StreamID: Int] = [:]

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        metrics = context.metrics
        core = context.core
        plan = context.optionalResource(TitlePlan.self)
        guard let plan, let facts = context.optionalResource(TitleFacts.self) else { return }
        for stream in facts.bridges.keys { bridges[stream] = try SoundBridge(facts, plan, stream) }
    }

    public func process(_ packet: Packet) async throws(NodeFailure) {
        let stream = packet.stream
        guard bridges[stream] != nil else {
            if let position = packet.timelinePosition { try await fill(before: position) }
            return await output.send(packet)
        }
        try BlockingScope.run { () throws(NodeFailure) in try bridges[stream]?.add(packet) }
        await send(stream)
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        // Every epoch opens with it.
        if case .segment(let map) = event, let plan {
            for stream in bridges.keys { bridges[stream]?.begin(at: plan.index(at: map.start)) }
            reported = [:]
        }
        return .forward
    }

    /// Sound that ends before the title does is silent to its end, in its own codec.
    public func drain() async throws(NodeFailure) {
        for stream in bridges.keys.sorted() {
            var isOpen = true
            while isOpen, !core.isCancelled, !output.isStale {
                isOpen = try BlockingScope.run { () throws(NodeFailure) in
                    try bridges[stream]?.finishSegment() ?? false
                }
                await send(stream)
            }
        }
    }

    /// Beside pictures nobody should wait for sound that has ended or pauses.
    private func fill(before position: Int64) async throws(NodeFailure) {
        for stream in bridges.keys.sorted() {
            while bridges[stream]?.isOverdue(at: position) ?? false, !core.isCancelled, !output.isStale {
                _ = try BlockingScope.run { () throws(NodeFailure) in try bridges[stream]?.finishSegment() }
                await send(stream)
            }
        }
    }

    public func flush() {
        for stream in bridges.keys { bridges[stream]?.begin(at: 0) }
        reported = [:]
    }

    private func send(_ stream: StreamID) async {
        guard let packets = bridges[stream]?.takeReady() else { return }
        for packet in packets { await output.send(packet) }
        guard let bridge = bridges[stream], bridge.counts.rejected > reported[stream] ?? 0 else { return }
        if let failure = bridge.failure {
            for _ in (reported[stream] ?? 0)..<bridge.counts.rejected { metrics.countError(failure) }
        }
        reported[stream] = bridge.counts.rejected
    }
}
