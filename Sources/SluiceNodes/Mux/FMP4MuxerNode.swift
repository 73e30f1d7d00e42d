public import SluiceAV
import SluiceBitstream
public import SluiceCore
public import SluiceDataflow

/// Makes fragmented MP4 of the packet line: one initialization section and one fragment a segment, for each rendition.
///
/// Payloads are not copied: a fragment is a header and references to the packets' own buffers.
public actor FMP4MuxerNode: FilterNode {
    public static let descriptor = NodeDescriptor(
        kind: "fmp4-muxer",
        ports: [
            .input("packets", .packet),
            .output("fragments", .fragment),
        ],
        options: [
            OptionDescriptor(
                "shape", .choice(["renditions", "muxed"]), default: .string("renditions"),
                "One fragment stream a track, or all tracks in one.")
        ],
        workingSetBytes: 32 << 20,
        summary: "Writes fragmented MP4, one fragment a segment."
    )

    public let input: InputPort<Packet>
    public let output: OutputPort<Fragment>
    private let plan: TitlePlan
    private let metrics: NodeMetrics
    private var mux: SegmentMultiplexer
    private var reported = SegmentMultiplexer.Counts()

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("fragments", batch: 1)
        metrics = context.metrics
        plan = try context.resource(TitlePlan.self)
        mux = try SegmentMultiplexer(
            facts: try context.resource(TitleFacts.self).delivered, plan: plan,
            isMuxed: try context.string("shape") == "muxed")
    }

    public func process(_ packet: Packet) async throws(NodeFailure) {
        let fragments = try mux.add(packet)
        if mux.counts != reported {
            // The picture is shown as its base layer.
            if mux.counts.refusedRPUs > reported.refusedRPUs, let failure = mux.visionFailure {
                metrics.countError(failure)
            }
            reported = mux.counts
            metrics.setRepairs(reported.named)
        }
        await send(fragments)
    }

    public func handle(_ event: StreamEvent) async throws(NodeFailure) -> EventDisposition {
        switch event {
        case .segment(let map):
            // Every epoch opens with it.
            await send(try mux.begin(at: plan.index(at: map.start)))
        case .boundary(let boundary):
            await send(try mux.boundary(boundary))
        case .endOfStream(.sourceEnded), .endOfStream(.truncated):
            await send(try mux.finishPlan())
        default: break
        }
        return .forward
    }

    public func drain() async throws(NodeFailure) {
        await send(try mux.finish())
    }

    public func flush() { mux.reset() }

    /// A fragment is as large as its segment: while one waits to be taken, none is collected beside it.
    private func send(_ fragments: [Fragment]) async {
        for fragment in fragments {
            await output.send(fragment)
            await output.waitUntilTaken()
        }
    }
}
