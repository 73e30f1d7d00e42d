import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTransport
import Testing

@testable import SluiceNodes

/// A producer anchored at any segment makes what a straight run makes.
@Suite(.enabled(if: PlanSources.isPresent))
struct DeterminismTests {
    static let sources: [(String, Result<String, any Error>)] = [
        ("irregular.mkv", PlanSources.irregular), ("irregular.mp4", PlanSources.irregularMovie),
        ("irregular.ts", PlanSources.irregularTransport), ("opengop.mkv", PlanSources.openGroups),
        ("opengop.mp4", PlanSources.openGroupsMovie), ("opengop.ts", PlanSources.openGroupsTransport),
        ("reorder.mkv", PlanSources.pyramid), ("reorder.ts", PlanSources.pyramidTransport),
        ("gap.mkv", PlanSources.soundGap), ("early.mkv", PlanSources.earlySound), ("disc.ts", PlanSources.joined),
        ("vfr.mkv", PlanSources.variable), ("irregular.h264", PlanSources.irregularBare),
        ("irregular.avi", PlanSources.irregularAVI),
    ]

    @Test(arguments: sources.indices)
    func everyAnchorGivesTheSegmentsOfAColdRun(number: Int) async throws {
        let (name, made) = Self.sources[number]
        let path = try made.get()
        let source = try Transport.open(path)
        var options = PlanBuilder.Options()
        if !name.hasSuffix("mp4") { options.basis = .scan }
        let title = try PlanBuilder.title(source, hint: path, options: options)
        source.close()

        let cold = try await CutRun.collect(path, title, from: nil)
        #expect(cold.keys.filter { $0.stream == title.facts.video?.index }.count == title.plan.segments.count)
        for index in title.plan.segments.indices.dropFirst() {
            let anchored = try await CutRun.collect(path, title, from: index)
            let wanted = cold.filter { $0.key.index >= index }
            #expect(anchored == wanted, "\(name) anchored at \(index)")
        }
    }

    @Test func aPlanOfAnotherFileIsNoticed() async throws {
        let source = try Transport.open(PlanSources.irregularMovie.get())
        let title = try PlanBuilder.title(source)
        source.close()
        await #expect(throws: GraphFailure.self) {
            _ = try await CutRun.collect(PlanSources.soundGap.get(), title, from: nil)
        }
    }
}

/// Runs reader, demuxer, repair and cutter, and collects what each segment gets of each stream.
enum CutRun {
    struct Key: Hashable {
        var stream: Int
        var index: Int
    }

    static func collect(_ path: String, _ title: PlannedTitle, from index: Int?) async throws -> [Key: [UInt64]] {
        var registry = StandardNodes.registry
        registry.register(SegmentDigestNode.self)
        let digest = SegmentDigest()
        var options = RunnerOptions()
        options.staysAlive = index != nil
        let runner = try GraphRunner(
            plan: PacketLine.plan(
                path, registry,
                then: [.init(name: "digest", kind: "segment-digest", port: "packets", payload: .packet)]),
            registry: registry,
            resources: Resources.none.with(title.facts).with(title.plan).with(digest), options: options)
        guard let index else {
            try await runner.run()
            return digest.segments
        }
        async let run: Void = runner.run()
        guard await runner.begin(at: index) else {
            try await run
            throw NodeFailure(.internalInvariant, "the graph ended before it was moved")
        }
        while !digest.hasEnded(from: index) { try await Task.sleep(for: .milliseconds(2)) }
        await runner.cancel()
        // How a cancelled run ends is the runner's own subject; everything was collected before.
        _ = try? await run
        return digest.segments
    }
}

/// What a run gave each segment: for each packet a hash of its times, its mark and its bytes.
final class SegmentDigest: Sendable {
    private struct State {
        var segments: [CutRun.Key: [UInt64]] = [:]
        var open: [Int: Int] = [:]
        var start: Timestamp?
        var hasEnded = false
    }
    private let state = Locked(State())

    var segments: [CutRun.Key: [UInt64]] { state.withLock { $0.segments } }

    func begin(_ start: Timestamp) {
        state.withLock { state in
            state = State()
            state.start = start
        }
    }
    func open(_ boundary: SegmentBoundary) { state.withLock { $0.open[boundary.stream.index] = boundary.index } }
    func add(_ packet: Packet) {
        let bytes = packet.withUnsafeBytes { Checksum.of($0) }
        let times: [Int64] = [packet.presentationTicks ?? -1, packet.durationTicks, packet.isKeyframe ? 1 : 0]
        let hash = bytes ^ Checksum.of("\(times)".utf8)
        state.withLock { state in
            guard let index = state.open[packet.stream.index] else { return }
            state.segments[CutRun.Key(stream: packet.stream.index, index: index), default: []].append(hash)
        }
    }
    func end() { state.withLock { $0.hasEnded = true } }
    /// Whether a run that began at or after segment `index` has come to its end.
    func hasEnded(from index: Int) -> Bool {
        state.withLock { state in
            state.hasEnded && (state.segments.keys.map(\.index).min() ?? 0) >= index
        }
    }
}

actor SegmentDigestNode: SinkNode {
    static let descriptor = NodeDescriptor(
        kind: "segment-digest", ports: [.input("packets", .packet)], landing: true,
        summary: "Hashes what each segment gets.")

    let core: NodeCore
    let input: InputPort<Packet>
    private let digest: SegmentDigest

    init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        input = try context.input("packets")
        digest = try context.resource(SegmentDigest.self)
    }

    func consume(_ packet: Packet) async throws(NodeFailure) { digest.add(packet) }

    func handle(_ event: StreamEvent) async throws(NodeFailure) {
        switch event {
        case .segment(let map): digest.begin(map.start)
        case .boundary(let boundary): digest.open(boundary)
        case .endOfStream: digest.end()
        default: break
        }
    }
}
