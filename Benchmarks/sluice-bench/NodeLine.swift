import SluiceAV
import SluiceCore
import SluiceDataflow
import SluiceNodes

/// Runs one node between two channels on items that were made before.
enum NodeLine {
    /// What comes out of `kind` when `items` go in, in order; the last of them is the end of the stream.
    static func items<Output: MediaPayload>(
        _ kind: String, _ items: [Item<Packet>], to port: String, resources: Resources, keeps: Bool = true
    ) async throws -> (items: [Item<Output>], payloads: Int) {
        let before = Channel<Packet>()
        return try await run(kind, inputs: ["packets": before], to: port, resources: resources, keeps: keeps) {
            let output = OutputPort(name: "out", core: NodeCore(name: "feed"), channel: before)
            for item in items {
                switch item {
                case .payload(let packet): await output.send(packet)
                case .event(let event): await output.send(event)
                }
            }
            await output.push()
            before.close()
        }
    }

    /// Runs a node beside whatever feeds it until its stream ends.
    static func run<Output: MediaPayload>(
        _ kind: String, inputs: [String: any AnyChannel], to port: String, resources: Resources = .none,
        keeps: Bool = false, feed: @escaping @Sendable () async -> Void = {}
    ) async throws -> (items: [Item<Output>], payloads: Int) {
        let registry = StandardNodes.registry
        guard let run = registry.run(kind), let descriptor = registry.descriptor(kind) else {
            throw NodeFailure(.notFound, "no node kind '\(kind)'")
        }
        let after = Channel<Output>()
        let core = NodeCore(name: kind)
        let context = NodeContext(
            core: core, descriptor: descriptor, inputs: inputs, outputs: [port: after], resources: resources)
        return try await withThrowingTaskGroup(of: (items: [Item<Output>], payloads: Int).self) { tasks in
            tasks.addTask(executorPreference: descriptor.mayBlock ? try BlockingLane(name: kind) : nil) {
                defer { after.close() }
                try await run(context)
                return ([], 0)
            }
            tasks.addTask {
                await feed()
                return ([], 0)
            }
            tasks.addTask {
                // A source lives on after its end.
                defer { core.cancel() }
                let input = InputPort(name: "in", core: NodeCore(name: "end"), channel: after)
                var kept: [Item<Output>] = []
                var count = 0
                while true {
                    switch await input.next() {
                    case .payload(let payload):
                        count += 1
                        if keeps { kept.append(.payload(payload)) }
                    case .event(let event):
                        if keeps { kept.append(.event(event)) }
                        if case .endOfStream = event { return (kept, count) }
                    case .closed, .cancelled: return (kept, count)
                    default: continue
                    }
                }
            }
            var result: (items: [Item<Output>], payloads: Int) = ([], 0)
            for try await part in tasks where part.payloads > 0 { result = part }
            return result
        }
    }
}
