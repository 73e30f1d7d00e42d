import SluiceDataflow

/// A line of four tasks and three narrow channels through which numbers are moved: what a lost wake-up would stop.
public enum FourStageLine {
    /// Moves `total` numbers, `batch` at a time, and returns how many arrived; -1 as soon as one is out of order.
    ///
    /// A channel holds 48 items, so that both ends of each wait for the other again and again. A wake-up that is lost
    /// shows as a call that never returns.
    public static func run(total: Int, batch: Int) async -> Int {
        let channels = (0..<3).map { _ in
            Channel<Token>(limits: ChannelLimits(bytes: 1 << 30, span: nil, items: 48))
        }
        return await withTaskGroup(of: Int.self) { tasks in
            tasks.addTask {
                let output = OutputPort(
                    name: "out", core: NodeCore(name: "0"), channel: channels[0], batchLimit: batch)
                for value in 0..<total { await output.send(Token(value)) }
                await output.push()
                channels[0].close()
                return 0
            }
            for stage in 1...2 {
                tasks.addTask { await pass(stage, from: channels[stage - 1], to: channels[stage], batch: batch) }
            }
            tasks.addTask {
                let input = InputPort(
                    name: "in", core: NodeCore(name: "3"), channel: channels[2], batchLimit: batch)
                var expected = 0
                while case .payload(let token) = await input.next() {
                    if token.value != expected {
                        // Nobody takes the rest, so that the senders end.
                        channels[2].detachConsumer()
                        return -1
                    }
                    expected += 1
                }
                return expected
            }
            var arrived = 0
            for await part in tasks { arrived += part }
            return arrived
        }
    }

    private static func pass(
        _ stage: Int, from source: Channel<Token>, to target: Channel<Token>, batch: Int
    ) async -> Int {
        let core = NodeCore(name: "\(stage)")
        let input = InputPort(name: "in", core: core, channel: source, batchLimit: batch)
        let output = OutputPort(name: "out", core: core, channel: target, batchLimit: batch)
        while true {
            switch input.poll() {
            case .payload(let token): await output.send(token)
            case .nothing: if output.hasStaged { await output.push() } else { await core.waitForInput() }
            default:
                await output.push()
                target.close()
                return 0
            }
        }
    }
}
