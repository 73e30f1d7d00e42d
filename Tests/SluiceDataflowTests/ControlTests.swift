import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceDataflow

@Suite struct ControlInboxTests {
    private func seek(_ epoch: UInt64) -> ControlMessage {
        .seek(SeekRequest(epoch: Epoch(epoch), target: .segment(Int(epoch))))
    }

    @Test func messagesKeepTheirOrderAndNewerOnesReplaceTheirKind() {
        let inbox = ControlInbox()
        #expect(!inbox.hasMessages)
        #expect(inbox.post(seek(1)))
        #expect(inbox.post(.setOption(name: "a", value: .integer(1))))
        #expect(inbox.post(.setOption(name: "b", value: .integer(1))))
        #expect(inbox.post(.setOption(name: "a", value: .integer(2))))
        #expect(inbox.post(seek(2)))
        #expect(inbox.take() == .setOption(name: "b", value: .integer(1)))
        #expect(inbox.take() == .setOption(name: "a", value: .integer(2)))
        #expect(inbox.take() == seek(2))
        #expect(inbox.take() == nil)
        #expect(!inbox.hasMessages)
    }

    @Test func theInboxIsBounded() {
        let inbox = ControlInbox()
        for index in 0..<64 { #expect(inbox.post(.setOption(name: "\(index)", value: .integer(0)))) }
        #expect(!inbox.post(.setOption(name: "64", value: .integer(0))))
        #expect(inbox.post(.setOption(name: "3", value: .integer(1))), "a new value of an old name has a place")
        #expect(!inbox.post(.finish))
    }
}

@Suite struct InterruptTokenTests {
    @Test func loweringForAnOlderSeekLeavesItRaised() {
        let token = InterruptToken()
        token.raise(for: Epoch(1))
        token.raise(for: Epoch(2))
        token.lower(through: Epoch(1))
        #expect(token.isRaised)
        token.lower(through: Epoch(2))
        #expect(!token.isRaised)
        token.raise(for: Epoch(3))
        token.raise()
        token.lower(through: Epoch(1_000))
        #expect(token.isRaised, "raised for ever")
    }

    @Test func handlersAreToldEveryChangeOnce() {
        let token = InterruptToken()
        let told = Locked<[Bool]>([])
        token.raise(for: Epoch(1))
        token.onChange { raised in told.withLock { $0.append(raised) } }
        token.raise(for: Epoch(2))
        token.lower(through: Epoch(2))
        token.lower(through: Epoch(2))
        token.raise(for: Epoch(3))
        #expect(told.withLock { $0 } == [true, false, true])
    }

    /// Whatever the interleaving of raises and lowers, the last thing a handler hears is the state.
    @Test func theLastCallTellsTheLastState() async {
        for _ in 0..<200 {
            let token = InterruptToken()
            let last = Locked(false)
            token.onChange { raised in last.withLock { $0 = raised } }
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask { for epoch in 1...20 { token.raise(for: Epoch(UInt64(epoch))) } }
                tasks.addTask { for epoch in 1...20 { token.lower(through: Epoch(UInt64(epoch))) } }
            }
            #expect(last.withLock { $0 } == token.isRaised)
        }
    }
}

@Suite struct ObservationTests {
    @Test func theTraceRingKeepsTheNewest() {
        let clock = ManualClock()
        let ring = TraceRing(clock: clock)
        ring.add("unseen")
        ring.enable()
        for index in 0..<5_000 {
            clock.advance(by: .nanoseconds(1))
            ring.add("\(index)")
        }
        let entries = ring.entries()
        #expect(entries.count == 4096)
        #expect(entries.first?.what == "904" && entries.last?.what == "4999")
        #expect(entries.last?.at == 5_000)
    }

    @Test func busyAndWaitsAddUpToTheWall() async {
        let clock = ManualClock()
        let core = NodeCore(name: "n", clock: clock)
        core.nodeBegins()
        clock.advance(by: .milliseconds(30))
        let task = Task { await core.waitForInput() }
        #expect(await eventually { core.numbers.activity == .waitingForInput })
        clock.advance(by: .milliseconds(50))
        #expect(core.numbers.waitInput == 50_000_000, "a wait counts while it lasts")
        clock.advance(by: .milliseconds(20))
        core.waker.signal()
        await task.value
        clock.advance(by: .milliseconds(5))
        core.nodeEnded()
        clock.advance(by: .seconds(9))
        let numbers = core.numbers
        #expect(numbers.waitInput == 70_000_000)
        #expect(numbers.busy == 35_000_000)
        #expect(numbers.alive == 105_000_000, "nothing counts after the end")
        #expect(numbers.activity == .ended)
    }

    @Test func errorsAreCountedAndTheLatestIsKept() {
        let metrics = NodeMetrics()
        for index in 0..<3 { metrics.countError(NodeFailure(.malformedInput, "packet \(index)")) }
        #expect(metrics.snapshot().errors == 3)
        #expect(metrics.snapshot().latestError == "malformed-input: packet 2")
    }
}

@Suite struct ManualClockTests {
    @Test func sleepersWakeInTheOrderOfTheirDeadlines() async {
        let clock = ManualClock()
        let start = clock.now
        let order = Locked<[Int]>([])
        await withTaskGroup(of: Void.self) { tasks in
            for index in [3, 1, 2] {
                tasks.addTask {
                    try? await clock.sleep(until: start + .seconds(index))
                    order.withLock { $0.append(index) }
                }
            }
            #expect(await clock.waitForSleepers(3))
            for step in 1...3 {
                clock.advance(by: .seconds(1))
                #expect(await eventually { order.withLock { $0.count } == step })
            }
        }
        #expect(order.withLock { $0 } == [1, 2, 3])
        #expect(start.duration(to: clock.now) == .seconds(3))
    }

    @Test func aCancelledSleepThrowsBeforeAndAfterItBegan() async {
        let clock = ManualClock()
        for early in [true, false] {
            let task = Task { try await clock.sleep(until: clock.now + .seconds(1)) }
            if !early { #expect(await clock.waitForSleepers(1)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(clock.sleeperCount == 0)
    }
}
