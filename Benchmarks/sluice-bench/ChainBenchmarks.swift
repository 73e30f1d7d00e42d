import SluiceCore
import SluiceDataflow
import SluiceTestKit

/// Raised when a run lost or reordered items: it measured nothing.
struct WrongResult: Error {
    let expected: Int
    let got: Int
}

/// A source that hands out prebuilt tokens, round and round.
private struct Feed: Sendable {
    static let tokens: [Token] = (0..<1_024).map { Token($0, cost: 100, at: .milliseconds($0)) }
}

/// Channels alone: one task that sends and receives in turn.
let channelBenchmarks: [NodeBenchmark] = [1, 8, 32].map { batch in
    let rounds = 100_000 / batch
    return NodeBenchmark(name: "channel/batch-\(batch)", items: rounds * batch) { times in
        let rounds = rounds * times
        let channel = Channel<Token>(limits: ChannelLimits(span: .seconds(10)))
        let core = NodeCore(name: "bench")
        let output = OutputPort(name: "out", core: core, channel: channel, batchLimit: batch)
        let input = InputPort(name: "in", core: core, channel: channel, batchLimit: batch)
        let tokens = Feed.tokens
        var received = 0
        for _ in 0..<rounds {
            for index in 0..<batch { output.stage(tokens[index]) }
            await output.push()
            while case .payload = input.poll() { received += 1 }
        }
        guard received == rounds * batch else { throw WrongResult(expected: rounds * batch, got: received) }
        return nil
    }
}

/// Four tasks that wait for each other all the time; as many items as wanted in one run.
let wakeUpBenchmarks: [NodeBenchmark] = [1, 32].map { batch in
    let items = 100_000
    return NodeBenchmark(name: "four-stages/batch-\(batch)", items: items, hops: 3) { times in
        let arrived = await FourStageLine.run(total: items * times, batch: batch)
        guard arrived == items * times else { throw WrongResult(expected: items * times, got: arrived) }
        return nil
    }
}

/// Pass-through filters in a row, as the registry runs them.
let chainBenchmarks: [NodeBenchmark] = {
    var list: [NodeBenchmark] = []
    for (length, batches) in [(1, [32]), (4, [1, 8, 32]), (16, [32])] {
        for batch in batches {
            for lane in [false, true] {
                let name = "chain-\(length)/batch-\(batch)/\(lane ? "lane" : "pool")"
                let items = 100_000
                list.append(
                    NodeBenchmark(name: name, items: items, hops: length + 1) { times in
                        try await runChain(length: length, batch: batch, lane: lane, items: items * times)
                        return nil
                    })
            }
        }
    }
    return list
}()

private func runChain(length: Int, batch: Int, lane: Bool, items: Int) async throws {
    let registry = NodeRegistry.toys
    guard let run = registry.run(ToyBatchPass.descriptor.kind) else { throw WrongResult(expected: 1, got: 0) }
    let channels = (0...length).map { _ in Channel<Token>(limits: ChannelLimits(span: .seconds(10))) }
    let received = await withTaskGroup(of: Int.self) { tasks in
        for index in 0..<length {
            let context = NodeContext(
                core: NodeCore(name: "pass \(index)"), descriptor: ToyBatchPass.descriptor,
                options: ["batch": .integer(batch)], inputs: ["in": channels[index]],
                outputs: ["out": channels[index + 1]])
            tasks.addTask(executorPreference: lane ? try? BlockingLane(name: "lane") : nil) {
                do throws(NodeFailure) { try await run(context) } catch { return -items }
                channels[index + 1].close()
                return 0
            }
        }
        tasks.addTask {
            let output = OutputPort(name: "out", core: NodeCore(name: "feed"), channel: channels[0], batchLimit: batch)
            let tokens = Feed.tokens
            for index in 0..<items {
                output.stage(tokens[index & 1_023])
                if output.isPushDue { await output.push() }
            }
            await output.send(.endOfStream(.sourceEnded))
            channels[0].close()
            return 0
        }
        tasks.addTask {
            let core = NodeCore(name: "end")
            let input = InputPort(name: "in", core: core, channel: channels[length], batchLimit: batch)
            var count = 0
            while true {
                switch input.poll() {
                case .payload(let token):
                    if token.value != count & 1_023 { return -items }
                    count += 1
                case .event: continue
                case .nothing: await core.waitForInput()
                default: return count
                }
            }
        }
        return await tasks.reduce(0, +)
    }
    guard received == items else { throw WrongResult(expected: items, got: received) }
}
