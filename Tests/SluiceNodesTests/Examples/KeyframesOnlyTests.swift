// doc: test
import Foundation
import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceNodes
import SluiceTestKit
import Testing

/// Two groups of three pictures and one sound, as a demuxer would interleave them.
private let line: [Item<Packet>] = [
    packet(0, ticks: 0, key: true), packet(1, ticks: 0, key: true), packet(0, ticks: 40), packet(0, ticks: 80),
    packet(0, ticks: 120, key: true), packet(0, ticks: 160), packet(0, ticks: 200),
]

private func packet(_ stream: Int, ticks: Int64, key: Bool = false) -> Item<Packet> {
    .payload(
        Packet(
            stream: StreamID(stream), timebase: Timebase(hertz: 1_000), presentationTicks: ticks, decodeTicks: ticks,
            isKeyframe: key, bytes: [UInt8](repeating: 7, count: 100)))
}

@Sendable private func place(_ packet: Packet) -> String { "\(packet.stream.index)@\(packet.presentationTicks ?? -1)" }

@Suite struct KeyframesOnlyTests {
    @Test func onlyKeyframesPassAndTheEndFollowsThem() async throws {
        let harness = NodeHarness(KeyframesOnlyNode.self, input: "packets", output: "packets")
        let out = try await harness.run(line + [.end])
        #expect(out.payloads().map(place) == ["0@0", "1@0", "0@120"])
        #expect(out.events() == [.endOfStream(.sourceEnded)])
    }

    @Test func everyCountsStreamByStream() async throws {
        var harness = NodeHarness(KeyframesOnlyNode.self, input: "packets", output: "packets")
        harness.setup.options["every"] = .integer(2)
        let out = try await harness.run(line + [.end])
        #expect(out.payloads().map(place) == ["0@0", "1@0"])
    }

    /// End, flush, full channels, cancellation, options: what every kind promises.
    @Test func itKeepsTheContract() async {
        let harness = NodeHarness(KeyframesOnlyNode.self, input: "packets", output: "packets")
        let contract = NodeContract.filter(harness, examples: line, describe: place)
        #expect(await contract.check() == [])
    }
}
// doc end

/// A packet filter has its contract as soon as it is registered.
@Suite struct RegisteredFilterTests {
    private func contract(_ kind: String) -> NodeContract? {
        var registry = StandardNodes.registry
        registry.register(KeyframesOnlyNode.self)
        return NodeContract.packetFilter(kind, in: registry, examples: line, describe: place)
    }

    @Test func itsContractIsFoundByItsKind() async throws {
        let found = try #require(contract("keyframes-only"))
        #expect(found.kind == "keyframes-only")
        #expect(found.promises.count == 6)
        #expect(await found.check() == [])
    }

    /// The plan that a cutter needs is not given here: the promises are broken, and say by what.
    @Test func aFilterThatLacksAResourceSaysSo() async throws {
        let broken = try await #require(contract("cutter")).check()
        #expect(broken.first?.contains("the host provides no TitleFacts") == true, "\(broken)")
    }

    @Test(arguments: ["reader", "demuxer", "fmp4-muxer", "hash-sink", "no-such-kind"])
    func otherKindsAreNoPacketFilters(kind: String) { #expect(contract(kind) == nil) }
}

/// The graph file of the example, run as the runner runs it.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg"))) struct KeyframesGraphTests {
    /// Three seconds of 25 pictures with a keyframe every 25: three keyframes, by the encoder's settings.
    @Test func theGraphFileOfTheDocsRuns() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let film = folder.appending(path: "film.mkv").path
        let ffmpeg = Process()
        ffmpeg.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        ffmpeg.arguments = [
            "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x90:rate=25:duration=3", "-c:v", "libx264",
            "-preset", "ultrafast", "-g", "25", "-sc_threshold", "0", "-pix_fmt", "yuv420p", film,
        ]
        try ffmpeg.run()
        ffmpeg.waitUntilExit()
        #expect(ffmpeg.terminationStatus == 0)

        var registry = StandardNodes.registry
        registry.register(KeyframesOnlyNode.self)
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = try GraphFile.load(path: root.appending(path: "docs/examples/keyframes.json").path)
        let facts = GraphFacts(sourceURL: film)
        let plan = try GraphPlan(file: file, catalog: NodeCatalog(registry.descriptors), facts: facts)
        let digest = PacketDigest()
        let runner = try GraphRunner(plan: plan, registry: registry, resources: Resources().with(digest))
        try await runner.run()
        #expect(digest.streams[StreamID(0)]?.packets == 3)
        #expect(digest.streams[StreamID(0)]?.keyframes == 3)
    }
}
