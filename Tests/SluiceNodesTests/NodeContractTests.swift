import Glibc
import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes
import SluiceTestKit
import SluiceTransport
import TestTools
import Testing

/// Every registered kind keeps the promises of its role.
@Suite struct NodeContractTests {
    /// What a kind is tried with: a small film made by ffmpeg, its facts, its plan, its packets. It is shorter than a
    /// channel's span, because one of the promises stops the node at a full output.
    private struct Film {
        let source: [UInt8]
        let title: PlannedTitle
        let packets: [Item<Packet>]
        let resources: Resources

        init() throws {
            let path = "/tmp/sluice-contract-\(getpid())-\(UInt32.random(in: 0 ... .max)).mkv"
            defer { unlink(path) }
            try ExternalTool.run(
                "ffmpeg",
                [
                    "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=0.8", "-f", "lavfi", "-i",
                    "sine=r=48000:d=0.8", "-c:v",
                    "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "50", "-c:a", "aac", path,
                ])
            let file = try FileSource(path: path)
            title = try PlanBuilder.title(file, hint: path)
            var reader = try FormatReader(source: file, hint: path)
            var items: [Item<Packet>] = []
            while let packet = try reader.readPacket() { items.append(.payload(packet)) }
            packets = items
            var bytes = [UInt8](repeating: 0, count: Int(file.size ?? 0))
            var offset = 0
            while offset < bytes.count {
                let count = try bytes.withUnsafeMutableBytes { buffer in
                    try file.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: buffer[offset...]), at: Int64(offset))
                }
                offset += count
            }
            source = bytes
            resources = Resources().with(title.facts).with(title.plan)
        }

        /// What opens every epoch of the line.
        var opening: [Item<Packet>] {
            let start = TimelineSegment(start: title.plan.start(0), sourceStart: title.facts.origin)
            return [.event(.streams(title.facts.streams)), .event(.segment(start))]
        }

        func setup() -> HarnessSetup {
            var setup = HarnessSetup()
            setup.resources = resources
            return setup
        }
    }

    @Test func everyKindKeepsItsContract() async throws {
        let film = try Film()
        let setup = film.setup()
        let line = film.opening + film.packets
        let placed = try await NodeHarness(RepairNode.self, input: "packets", output: "packets", setup: setup).run(line)
        let cut = try await NodeHarness(CutterNode.self, input: "packets", output: "packets", setup: setup).run(placed)
        let fragments = try await NodeHarness(
            FMP4MuxerNode.self, input: "packets", output: "fragments", setup: setup
        ).run(cut + [.event(.endOfStream(.sourceEnded))]).filter { if case .payload = $0 { true } else { false } }
        #expect(fragments.count == 4, "a section and a segment of each of two renditions")

        let text: @Sendable (Packet) -> String = {
            "\($0.stream) \($0.presentationTicks ?? -1) \($0.byteCount) \($0.isKeyframe)"
        }
        // Kinds that need more than the packets of a film, or other packets.
        var contracts = [
            NodeContract.filter(
                NodeHarness(CutterNode.self, input: "packets", output: "packets", setup: setup), examples: placed,
                describe: text),
            NodeContract.filter(
                NodeHarness(FMP4MuxerNode.self, input: "packets", output: "fragments", setup: setup), examples: cut,
                describe: { "\($0.rendition) \($0.role) \($0.byteCost)" }),
            NodeContract.sink(
                { SinkHarness(HashSinkNode.self, input: "packets") }, examples: film.packets),
        ]
        let path = "/tmp/sluice-contract-\(getpid()).es"
        defer { unlink(path) }
        contracts.append(
            NodeContract.sink(
                {
                    var setup = HarnessSetup()
                    setup.options = ["path": .string(path)]
                    return SinkHarness(FileSinkNode.self, input: "packets", setup: setup)
                }, examples: film.packets))
        contracts.append(
            NodeContract.sink(
                {
                    var setup = HarnessSetup()
                    setup.resources = Resources().with(OpenDestination() as any SegmentDestination)
                    return SinkHarness(SegmentPublisherNode.self, input: "fragments", setup: setup)
                }, examples: fragments))
        let bytes = film.source
        contracts.append(
            NodeContract.source(
                {
                    SourceHarness(
                        DemuxerNode.self, output: "packets", of: Packet.self, bytes: ["bytes": MemorySource(bytes)])
                }, seek: .time(Timestamp(seconds: 0.4)), describe: text))

        // All other packet filters, whatever is registered.
        let explicit = Set(contracts.map(\.kind))
        let registry = StandardNodes.registry
        for kind in registry.descriptors.map(\.kind) where !explicit.contains(kind) {
            if let contract = NodeContract.packetFilter(
                kind, in: registry, setup: setup, examples: line, describe: text)
            {
                contracts.append(contract)
            }
        }

        var broken: [String] = []
        for contract in contracts { broken += await contract.check() }
        #expect(broken == [])

        // The reader has no payload port: its promises are in ReaderNodeTests.
        let covered = Set(contracts.map(\.kind)).union(["reader"])
        #expect(covered.contains("repair"), "found by itself")
        #expect(Set(registry.descriptors.map(\.kind)) == covered, "a kind without a contract")
    }

    /// Admits everything and keeps nothing.
    private struct OpenDestination: SegmentDestination {
        func publish(_ fragment: Fragment) throws(NodeFailure) {}
        func admits(index: Int) -> Bool { true }
        func attach(_ waker: Waker) {}
        func ended(_ reason: EndReason) {}
    }
}
