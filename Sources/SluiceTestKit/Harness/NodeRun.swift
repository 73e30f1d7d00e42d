import SluiceCore
import SluiceDataflow

/// Runs one node to its end with helpers around it; the engine of the harnesses.
struct NodeRun: Sendable {
    let core: NodeCore
    let context: NodeContext
    let lane: BlockingLane?
    /// Channels to close when the node is gone, so that every helper ends.
    let channels: [any AnyChannel]

    /// Returns when the node and every helper are done; throws what the node threw.
    func run<Kind: Node>(_ kind: Kind.Type, helpers: [@Sendable () async -> Void]) async throws {
        let failure = Locked<NodeFailure?>(nil)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask(executorPreference: lane) {
                core.nodeBegins()
                do throws(NodeFailure) {
                    let node = try Kind(context: context)
                    try await node.run()
                } catch {
                    failure.withLock { $0 = error }
                }
                core.nodeEnded()
                for channel in channels { channel.close() }
            }
            for helper in helpers { tasks.addTask { await helper() } }
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Returns when the node waits for input and has none, or has ended.
    func settle(_ inputs: [any AnyChannel]) async {
        _ = await eventually {
            let activity = core.numbers.activity
            if activity == .ended { return true }
            guard activity == .waitingForInput || activity == .parked else { return false }
            return inputs.allSatisfy { $0.level.items == 0 } && !core.inbox.hasMessages
        }
    }
}
