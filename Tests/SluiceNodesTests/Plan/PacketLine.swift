import SluiceCore
import SluiceDataflow
import SluiceGraph
import Testing

/// The native line as far as a test needs it.
enum PacketLine {
    /// A node behind the cutter, fed through the port of that name that the node before sends on.
    struct Stage {
        var name: String
        var kind: String
        var port: String
        var payload: PayloadKind
    }

    /// Reader, demuxer, repair and cutter over a file, then `stages` in a row.
    ///
    /// - Parameter bridges: whether there is a bridge before the cutter.
    static func plan(
        _ path: String, _ registry: NodeRegistry, bridges: Bool = false, then stages: [Stage]
    ) throws -> GraphPlan {
        func node(_ name: String, _ kind: String, _ set: [String: OptionValue] = [:]) throws -> PlannedNode {
            let descriptor = try #require(registry.descriptor(kind))
            var options: [String: OptionValue] = [:]
            for option in descriptor.options { options[option.name] = set[option.name] ?? option.defaultValue }
            return PlannedNode(
                name: name, thread: descriptor.mayBlock ? .dedicated : .shared, options: options, descriptor: descriptor
            )
        }
        var nodes = try [
            node("reader", "reader", ["url": .string(path)]),
            node("demuxer", "demuxer", ["streams": .string("served")]), node("repair", "repair"),
        ]
        if bridges { nodes.append(try node("bridge", "audio-bridge")) }
        nodes.append(try node("cutter", "cutter"))
        var links = [
            PlannedLink(from: ("reader", "bytes"), to: ("demuxer", "bytes"), payload: .bytes),
            PlannedLink(from: ("demuxer", "packets"), to: ("repair", "packets"), payload: .packet),
        ]
        for (before, after) in zip(nodes.dropFirst(2), nodes.dropFirst(3)) {
            links.append(PlannedLink(from: (before.name, "packets"), to: (after.name, "packets"), payload: .packet))
        }
        for stage in stages {
            let before = nodes.last?.name ?? ""
            nodes.append(try node(stage.name, stage.kind))
            links.append(
                PlannedLink(from: (before, stage.port), to: (stage.name, stage.port), payload: stage.payload))
        }
        return GraphPlan(name: "line", nodes: nodes, links: links)
    }
}

extension GraphRunner {
    /// Moves a graph that is about to run, as soon as it takes seeks. False where it has ended instead: its run says why.
    func begin(at index: Int) async -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while case .rejected(let reason) = await seek(to: .segment(index)) {
            if snapshot().phase.isOver { return false }
            guard ContinuousClock.now < end else {
                Issue.record("segment \(index): \(reason), in phase \(snapshot().phase)")
                await cancel()
                return false
            }
            await Task.yield()
        }
        return true
    }
}
