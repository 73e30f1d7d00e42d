import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes

/// Single nodes between two channels, with packets that were made before, and how many of them must come out.
let nodeBenchmarks: [NodeBenchmark] = [
    packetFilter("repair") { $0 }
]

/// Every other packet filter that is registered: what comes out is counted and not judged.
let unlistedNodeBenchmarks: [NodeBenchmark] = {
    let listed = Set(nodeBenchmarks.map(\.name))
    return StandardNodes.registry.descriptors.filter { $0.isPlainFilter(of: .packet) }
        .map { packetFilter($0.kind) }.filter { !listed.contains($0.name) }
}()

/// 10,000 packets of 1,000 bytes through a filter.
///
/// - Parameter keeps: how many of so many packets must come out; nil only counts them.
private func packetFilter(
    _ kind: String, options: [String: OptionValue] = [:], keeps: (@Sendable (Int) -> Int)? = nil
) -> NodeBenchmark {
    let packets = PacketLine.packets
    return NodeBenchmark(name: "\(kind)/10k-packets", items: packets.count, bytes: packets.count * 1_000, hops: 2) {
        times in
        let received = try await PacketLine.count(through: kind, options: options, times: times)
        guard let expected = keeps?(packets.count * times) else { return received }
        guard received == expected else { throw WrongResult(expected: expected, got: received) }
        return nil
    }
}

private enum PacketLine {
    /// 400 groups of 25 pictures, 40 ms apart.
    static let packets: [Packet] = (0..<10_000).map { index in
        Packet(
            stream: StreamID(0), timebase: Timebase(hertz: 1_000), presentationTicks: Int64(index) * 40,
            decodeTicks: Int64(index) * 40, durationTicks: 40, isKeyframe: index % 25 == 0,
            bytes: [UInt8](repeating: 7, count: 1_000))
    }

    /// Payloads that come out of the node when the packets go in `times` times.
    static func count(through kind: String, options: [String: OptionValue], times: Int) async throws -> Int {
        let registry = StandardNodes.registry
        guard let run = registry.run(kind), let descriptor = registry.descriptor(kind),
            let inputName = descriptor.inputs.first?.name, let outputName = descriptor.outputs.first?.name
        else {
            throw NodeFailure(.notFound, "no node kind '\(kind)'")
        }
        let (before, after) = (Channel<Packet>(), Channel<Packet>())
        let context = NodeContext(
            core: NodeCore(name: kind), descriptor: descriptor, options: options, inputs: [inputName: before],
            outputs: [outputName: after])
        return try await withThrowingTaskGroup(of: Int.self) { tasks in
            tasks.addTask(executorPreference: descriptor.mayBlock ? try? BlockingLane(name: kind) : nil) {
                defer { after.close() }
                try await run(context)
                return 0
            }
            tasks.addTask {
                let output = OutputPort(name: "out", core: NodeCore(name: "feed"), channel: before)
                for _ in 0..<times { for packet in packets { await output.send(packet) } }
                await output.send(.endOfStream(.sourceEnded))
                before.close()
                return 0
            }
            tasks.addTask {
                let input = InputPort(name: "in", core: NodeCore(name: "end"), channel: after)
                var count = 0
                while true {
                    switch await input.next() {
                    case .payload: count += 1
                    case .closed, .cancelled: return count
                    default: continue
                    }
                }
            }
            return try await tasks.reduce(0, +)
        }
    }
}
