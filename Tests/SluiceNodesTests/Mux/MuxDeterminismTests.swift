import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTransport
import Testing

@testable import SluiceNodes

/// A producer anchored at any segment publishes the bytes of a straight run, and the same initialization sections.
@Suite(.enabled(if: PlanSources.isPresent))
struct MuxDeterminismTests {
    @Test(arguments: DeterminismTests.sources.indices)
    func everyAnchorGivesTheBytesOfAColdRun(number: Int) async throws {
        let (name, made) = DeterminismTests.sources[number]
        let path = try made.get()
        let source = try Transport.open(path)
        var options = PlanBuilder.Options()
        if !name.hasSuffix("mp4") { options.basis = .scan }
        let title = try PlanBuilder.title(source, hint: path, options: options)
        source.close()

        let cold = try await MuxRun.collect(path, title, from: nil)
        for stream in title.facts.served.indices {
            let rendition = stream == 0 && title.facts.video != nil ? "video" : "audio-\(stream)"
            let indices = cold.keys.filter { $0.rendition == rendition }.compactMap(\.index)
            #expect(Set(indices) == Set(title.plan.segments.indices), "\(name): \(rendition)")
        }
        for index in title.plan.segments.indices.dropFirst() {
            let anchored = try await MuxRun.collect(path, title, from: index)
            let wanted = cold.filter { ($0.key.index ?? index) >= index }
            for (key, bytes) in wanted { #expect(anchored[key] == bytes, "\(name) anchored at \(index): \(key)") }
        }
    }
}

/// Runs the native line up to the publisher and collects every fragment.
enum MuxRun {
    struct Key: Hashable {
        var rendition: String
        /// Nil for initialization sections.
        var index: Int?
        var version: Int
    }

    static func collect(_ path: String, _ title: PlannedTitle, from index: Int?) async throws -> [Key: [UInt8]] {
        let store = FragmentStore(isOpen: index == nil)
        var options = RunnerOptions()
        options.staysAlive = index != nil
        let runner = try GraphRunner(
            plan: PacketLine.plan(
                path, StandardNodes.registry, bridges: !title.facts.bridges.isEmpty,
                then: [
                    .init(name: "muxer", kind: "fmp4-muxer", port: "packets", payload: .packet),
                    .init(name: "publisher", kind: "segment-publisher", port: "fragments", payload: .fragment),
                ]), registry: StandardNodes.registry,
            resources: Resources.none.with(title.facts).with(title.plan).with(store as any SegmentDestination),
            options: options)
        guard let index else {
            try await runner.run()
            return store.fragments
        }
        async let run: Void = runner.run()
        guard await runner.begin(at: index) else {
            try await run
            throw NodeFailure(.internalInvariant, "the graph ended before it was moved")
        }
        store.open()
        let last = title.plan.segments.count - 1
        let wanted = title.facts.served.count
        while store.count(of: last) < wanted { try await Task.sleep(for: .milliseconds(2)) }
        await runner.cancel()
        do { try await run } catch let failure as GraphFailure where failure.failure.code == .cancelled {}
        return store.fragments
    }
}

/// Keeps fragments; before it is opened nothing beyond the first segment is admitted, so that what comes later was made
/// by the run that the test moved.
final class FragmentStore: SegmentDestination {
    private struct State {
        var isOpen: Bool
        var fragments: [MuxRun.Key: [UInt8]] = [:]
        var waker: Waker?
    }
    private let state: Locked<State>

    init(isOpen: Bool) { state = Locked(State(isOpen: isOpen)) }

    var fragments: [MuxRun.Key: [UInt8]] { state.withLock { $0.fragments } }
    func count(of index: Int) -> Int { state.withLock { $0.fragments.keys.count { $0.index == index } } }

    func open() {
        let waker = state.withLock { state in
            state.isOpen = true
            return state.waker
        }
        waker?.signal()
    }

    func publish(_ fragment: Fragment) throws(NodeFailure) {
        var key = MuxRun.Key(rendition: fragment.rendition, index: nil, version: 0)
        switch fragment.role {
        case .initialization(let version): key.version = version
        case .media(let index): key.index = index
        }
        let bytes = fragment.chunks.joined()
        state.withLock { $0.fragments[key] = bytes }
    }
    func admits(index: Int) -> Bool { state.withLock { $0.isOpen } }
    func attach(_ waker: Waker) { state.withLock { $0.waker = waker } }
    func ended(_ reason: EndReason) {}
}
