import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceDataflow

@Suite struct PortTests {
    private let core = NodeCore(name: "node", clock: ManualClock())
    private func wide() -> Channel<Token> { Channel(limits: ChannelLimits(span: nil)) }

    private func next(_ input: InputPort<Token>) -> Int? {
        if case .payload(let token) = input.poll() { token.value } else { nil }
    }

    @Test func payloadsAreStagedUntilABatchIsFull() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel, batchLimit: 4)
        for value in 0..<3 { await output.send(Token(value)) }
        #expect(channel.level.items == 0 && output.hasStaged)
        await output.send(Token(3))
        #expect(channel.level.items == 4 && !output.hasStaged)
    }

    /// What is staged lies beside the bounds of the channel.
    @Test func largePayloadsAreNotGatheredToABatch() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        await output.send(Token(0, cost: batchBytes / 2))
        #expect(channel.level.items == 0)
        await output.send(Token(1, cost: batchBytes / 2))
        #expect(channel.level.items == 2 && !output.hasStaged)
        for value in 2..<5 { await output.send(Token(value, cost: batchBytes)) }
        let input = InputPort(name: "in", core: core, channel: channel)
        #expect(next(input) == 0)
        #expect(channel.level.items == 3, "the input's batch ends with its bound as well")
        #expect((1..<5).map { _ in next(input) } == [1, 2, 3, 4])
    }

    @Test func aStagedEventMakesThePushDue() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        output.stage(Token(0))
        #expect(!output.isPushDue)
        output.stage(.endOfStream(.sourceEnded))
        #expect(output.isPushDue)
        await output.push()
        #expect(channel.level.items == 2 && !output.isPushDue)
    }

    @Test func aSenderWaitsUntilEverythingIsTaken() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        await output.waitUntilTaken()
        await output.send(Token(0))
        await output.push()
        let taker = Task {
            await Task.yield()
            var batch: [Item<Token>] = []
            _ = channel.tryReceive(into: &batch, limit: 1)
        }
        await output.waitUntilTaken()
        #expect(channel.level.items == 0)
        await taker.value
        // Neither a flush nor an end leaves anybody waiting.
        await output.send(.endOfStream(.sourceEnded))
        channel.flush(to: Epoch(1))
        await output.waitUntilTaken()
        output.adopt(Epoch(1))
        await output.send(.endOfStream(.sourceEnded))
        channel.close()
        await output.waitUntilTaken()
    }

    @Test func anEventPushesAtOnceBehindWhatIsStaged() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        await output.send(Token(0))
        await output.send(.endOfStream(.sourceEnded))
        var batch: [Item<Token>] = []
        #expect(channel.tryReceive(into: &batch, limit: 10) == .received(2))
        #expect(batch[0].payload?.value == 0)
        #expect(batch[1].event == .endOfStream(.sourceEnded))
    }

    @Test func aSlowSenderPushesAfterFiveMilliseconds() async {
        let clock = ManualClock()
        let channel = wide()
        let output = OutputPort(name: "out", core: NodeCore(name: "n", clock: clock), channel: channel)
        await output.send(Token(0))
        #expect(channel.level.items == 0)
        await output.push()
        clock.advance(by: .milliseconds(6))
        await output.send(Token(1))
        #expect(channel.level.items == 2)
    }

    @Test func noStaleItemIsHandedOutAfterAFlush() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        let input = InputPort(name: "in", core: core, channel: channel)
        for value in 0..<32 { await output.send(Token(value)) }
        #expect(next(input) == 0)
        #expect(next(input) == 1)
        // 30 more are inside the port now.
        #expect(channel.level.items == 0)
        channel.flush(to: Epoch(1))
        #expect(input.isStale)
        guard case .flushed(Epoch(1)) = input.poll() else {
            Issue.record("expected the flush")
            return
        }
        #expect(next(input) == nil)
        #expect(input.epoch == Epoch(1))
    }

    @Test func whatWasStagedBeforeASeekIsNeverSent() async {
        let channel = wide()
        let output = OutputPort(name: "out", core: core, channel: channel)
        await output.send(Token(0))
        channel.flush(to: Epoch(1))
        await output.send(Token(1))
        await output.push()
        #expect(channel.level.items == 0, "still of the old epoch")
        await output.send(Token(2))
        output.adopt(Epoch(1))
        #expect(!output.hasStaged)
        await output.send(Token(3))
        await output.push()
        #expect(channel.level.items == 1)
    }

    @Test func aBlockedSendEndsWithTheFlushOrTheCloseOrTheCancel() async {
        for way in 0..<3 {
            let core = NodeCore(name: "n")
            let channel = Channel<Token>(limits: ChannelLimits(span: nil, items: 1))
            let task = Task {
                let output = OutputPort(name: "out", core: core, channel: channel, batchLimit: 1)
                await output.send(Token(0))
                await output.send(Token(1))
                return output.hasStaged
            }
            #expect(await eventually { core.numbers.activity == .waitingForOutput })
            switch way {
            case 0: channel.flush(to: Epoch(1))
            case 1: channel.close()
            default: core.cancel()
            }
            #expect(await task.value == false)
        }
    }

    @Test func controlComesBeforePayloadsAndCancellationBeforeBoth() async {
        let channel = wide()
        let core = NodeCore(name: "n")
        let output = OutputPort(name: "out", core: core, channel: channel)
        await output.send(Token(0))
        await output.push()
        let input = InputPort(name: "in", core: core, channel: channel)
        #expect(core.post(.finish))
        guard case .control = await input.next() else {
            Issue.record("expected control")
            return
        }
        #expect(core.inbox.take() == .finish)
        guard case .payload = await input.next() else {
            Issue.record("expected the payload")
            return
        }
        core.cancel()
        guard case .cancelled = await input.next() else {
            Issue.record("expected the cancellation")
            return
        }
        #expect(core.interrupt.isRaised)
    }

    @Test func anUnlinkedOutputSwallowsEverything() async {
        let output = OutputPort<Token>(name: "out", core: core, channel: nil)
        for value in 0..<100 { await output.send(Token(value)) }
        await output.send(.endOfStream(.sourceEnded))
        #expect(!output.hasStaged && !output.isLinked)
    }

    @Test func portsCountItemsBytesAndPositions() async {
        let channel = Channel<Token>()
        let (sender, receiver) = (NodeCore(name: "a"), NodeCore(name: "b"))
        let output = OutputPort(name: "out", core: sender, channel: channel)
        let input = InputPort(name: "in", core: receiver, channel: channel)
        for value in 0..<10 { await output.send(Token(value, cost: 7, at: .milliseconds(value))) }
        await output.push()
        _ = input.poll()
        #expect(sender.numbers.itemsOut == 10 && sender.numbers.bytesOut == 70)
        #expect(sender.numbers.lastPosition == 9_000_000)
        #expect(receiver.numbers.itemsIn == 10 && receiver.numbers.bytesIn == 70)
        #expect(sender.numbers.progress == 10)
    }
}

/// Payloads with storage of their own: every reference is given up exactly once, on every path.
@Suite struct PayloadLifetimeTests {
    private final class Tracker: Sendable {
        let alive = Locked(0)
    }

    private final class Storage: Sendable {
        let tracker: Tracker
        init(_ tracker: Tracker) {
            self.tracker = tracker
            tracker.alive.withLock { $0 += 1 }
        }
        deinit { tracker.alive.withLock { $0 -= 1 } }
    }

    private struct Heavy: MediaPayload {
        static var kind: PayloadKind { .frame }
        var storage: Storage
        var byteCost: Int { 100 }
        var timelinePosition: Int64? { 0 }
    }

    @Test(arguments: OverflowPolicy.allCases) func nothingLeaksAndNothingIsFreedTwice(overflow: OverflowPolicy) async {
        let tracker = Tracker()
        var alive: Int { tracker.alive.withLock { $0 } }
        do {
            let channel = Channel<Heavy>(limits: ChannelLimits(bytes: 1_000, span: nil), overflow: overflow)
            var batch: [Item<Heavy>] = (0..<25).map { _ in .payload(Heavy(storage: Storage(tracker))) }
            _ = channel.trySend(contentsOf: &batch, epoch: .first)
            batch = []
            #expect(alive == 10)
            _ = channel.tryReceive(into: &batch, limit: 4)
            #expect(alive == 10)
            batch = []
            #expect(alive == 6)
            channel.flush(to: Epoch(1))
            #expect(alive == 0)
            batch = (0..<5).map { _ in .payload(Heavy(storage: Storage(tracker))) }
            _ = channel.trySend(contentsOf: &batch, epoch: Epoch(1))
            #expect(alive == 5)
        }
        #expect(alive == 0)
    }

    @Test func aPayloadArrivesUniquelyReferenced() async {
        let channel = Channel<Heavy>()
        let core = NodeCore(name: "n")
        let output = OutputPort(name: "out", core: core, channel: channel)
        let input = InputPort(name: "in", core: core, channel: channel)
        await output.send(Heavy(storage: Storage(Tracker())))
        await output.push()
        guard case .payload(var heavy) = input.poll() else {
            Issue.record("expected the payload")
            return
        }
        #expect(isKnownUniquelyReferenced(&heavy.storage), "else every stage would copy what it changes")
    }
}
