import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTestKit
import Testing

/// Failures of a group that the graph can do without.
@Suite(.timeLimit(.minutes(1))) struct RunGroupTests {
    private func forked(tap: (inout PlanBuilder) -> Void) -> PlanBuilder {
        var builder = PlanBuilder()
        builder.group("taps", .isolate)
        builder.node("source", ScriptedSource.self)
        builder.node("splitter", ToySplitter.self)
        builder.node("sink", RecordingSink<Token>.self)
        tap(&builder)
        builder.node("tap", RecordingTap<Token>.self, group: "taps")
        builder.link("source.out", "splitter.in")
        builder.link("splitter.left", "sink.in")
        builder.link("splitter.right", "filter.in")
        builder.link("filter.out", "tap.in")
        return builder
    }

    @Test func anIsolatedFailureLeavesTheRestRunning() async throws {
        let builder = forked {
            $0.node("filter", ToyFailing.self, group: "taps", options: ["at": .integer(100)])
        }
        let run = try RunFixture(builder, scripts: ["source": .tokens(50_000)])
        try await run.finish()
        #expect(run.runner.phase == .drained)
        #expect(run.values("sink") == Array(0..<50_000))
        #expect(run.values("tap").count <= 100)
        let failed = run.events.all.filter { if case .nodeFailed = $0 { true } else { false } }
        #expect(failed.count == 1, "one event for the group, whatever ends behind it")
        guard case .nodeFailed("filter", "taps", let failure)? = failed.first else {
            Issue.record("expected the filter, got \(failed)")
            return
        }
        #expect(failure.code == .malformedInput)
    }

    @Test func anEarlyReturnIsIsolatedToo() async throws {
        let builder = forked {
            $0.node("filter", ToyEarly.self, group: "taps", options: ["after": .integer(3)])
        }
        let run = try RunFixture(builder, scripts: ["source": .tokens(5_000)])
        try await run.finish()
        #expect(run.values("sink") == Array(0..<5_000))
    }

    @Test func seeksDoNotWaitForAnIsolatedLandingSink() async throws {
        var builder = PlanBuilder()
        builder.group("taps", .isolate)
        builder.node("source", ScriptedSource.self)
        builder.node("splitter", ToySplitter.self)
        builder.node("sink", RecordingSink<Token>.self)
        builder.node("filter", ToyFailing.self, group: "taps", options: ["at": .integer(100)])
        builder.node("other", RecordingSink<Token>.self, group: "taps")
        builder.link("source.out", "splitter.in")
        builder.link("splitter.left", "sink.in", limits: ChannelLimits(span: nil, items: 8))
        builder.link("splitter.right", "filter.in")
        builder.link("filter.out", "other.in")
        let run = try RunFixture(builder, scripts: ["source": .endless])
        #expect(await eventually { run.events.all.contains { if case .nodeFailed = $0 { true } else { false } } })
        #expect(await run.runner.seek(to: .segment(7_000)) == .landed(Timestamp(70_000, .milliseconds)))
        await run.runner.cancel()
        try await run.finish()
    }

    /// The only sink is gone: there is nothing left to run for.
    @Test func aGraphWhoseSinksAreAllIsolatedFails() async throws {
        var builder = PlanBuilder()
        builder.group("taps", .isolate)
        builder.node("source", ScriptedSource.self)
        builder.node("filter", ToyFailing.self, group: "taps", options: ["at": .integer(100)])
        builder.node("sink", RecordingSink<Token>.self, group: "taps")
        builder.chain("source", "filter", "sink")
        let run = try RunFixture(builder, scripts: ["source": .endless])
        let failure = try #require(await run.failure())
        #expect(failure.node == "filter")
        #expect(run.runner.phase == .failed)
    }

    /// The isolated group feeds another one: what is behind it ends instead of waiting for ever.
    @Test func nodesBehindAnIsolatedGroupEnd() async throws {
        var builder = PlanBuilder()
        builder.group("taps", .isolate)
        builder.node("source", ScriptedSource.self)
        builder.node("sink", RecordingSink<Token>.self)
        builder.node("extra", ScriptedSource.self, group: "taps")
        builder.node("filter", ToyFailing.self, group: "taps", options: ["at": .integer(10)])
        builder.node("pass", ToyPass.self)
        builder.node("last", RecordingSink<Token>.self)
        builder.chain("source", "sink")
        builder.chain("extra", "filter", "pass", "last")
        let gate = Gate()
        let run = try RunFixture(
            builder, scripts: ["source": Script.tokens(50).gated(by: gate), "extra": .tokens(1_000)])
        #expect(await eventually { run.activity("last") == .ended && run.activity("pass") == .ended })
        gate.open()
        try await run.finish()
        #expect(run.runner.phase == .drained)
        #expect(run.values("sink") == Array(0..<50))
    }
}

/// Standing still: when it is a fault, and whose.
@Suite(.timeLimit(.minutes(1))) struct RunStallTests {
    private func manual() -> (ManualClock, RunnerOptions) {
        let clock = ManualClock()
        var options = RunnerOptions()
        options.clock = clock
        return (clock, options)
    }

    /// Half seconds of the graph's time, each seen by the monitor, until `condition` holds or `limit` are over.
    ///
    /// - Parameter sleepers: how many tasks sleep on the clock, the monitor included.
    private func pass(
        _ limit: Int, of clock: ManualClock, sleepers: Int = 1, until condition: () -> Bool = { false }
    ) async -> Bool {
        for _ in 0..<limit {
            if condition() { return true }
            _ = await clock.waitForSleepers(sleepers)
            clock.advance(by: .milliseconds(500))
        }
        return await eventually(within: .milliseconds(200), condition)
    }

    private func stalls(_ run: RunFixture) -> [GraphEvent] {
        run.events.all.filter { event in
            switch event {
            case .stalled, .deadlocked: true
            default: false
            }
        }
    }

    /// Source → splitter → (delay → joiner, joiner) → sink; the direct branch holds one second.
    private func diamond(lookAhead: Duration) -> PlanBuilder {
        var builder = PlanBuilder()
        let one: [String: OptionValue] = ["batch": .integer(1)]
        builder.node("source", ScriptedSource.self)
        builder.node("splitter", ToySplitter.self, options: one)
        builder.node("delay", ToyDelay.self, options: ["lookAhead": .duration(lookAhead)])
        builder.node("joiner", ToyJoiner.self, options: one)
        builder.node("sink", RecordingSink<Token>.self)
        builder.link("source.out", "splitter.in")
        builder.link("splitter.left", "delay.in")
        builder.link("delay.out", "joiner.left")
        builder.link("splitter.right", "joiner.right", limits: ChannelLimits(span: .seconds(1)))
        builder.link("joiner.out", "sink.in")
        return builder
    }

    @Test func aDiamondWhoseBranchHoldsTheLookAheadRuns() async throws {
        let run = try RunFixture(diamond(lookAhead: .milliseconds(990)), scripts: ["source": .tokens(2_000)])
        try await run.finish()
        #expect(run.values() == (0..<2_000).flatMap { [$0, $0] })
    }

    @Test func aDiamondWithMoreLookAheadDeadlocksAndIsDumped() async throws {
        let (clock, options) = manual()
        let run = try RunFixture(
            diamond(lookAhead: .milliseconds(1_050)), scripts: ["source": .tokens(2_000)], options: options)
        #expect(await eventually { run.isQuiet && run.activity("splitter") == .waitingForOutput })
        #expect(await pass(20, of: clock) { !stalls(run).isEmpty })
        guard case .deadlocked(let report)? = stalls(run).first else {
            Issue.record("expected a deadlock, got \(stalls(run))")
            return
        }
        #expect(report.contains("splitter waitingForOutput in E0"))
        #expect(report.contains("joiner waitingForInput in E0"))
        // Head of the queue is 10 ms, as the joiner holds 0 ms; the last that fits is one second later.
        #expect(report.contains("splitter.right -> joiner.right: 101 items, 10100 of 10485760 bytes, 1000 ms, E0"))
        #expect(await pass(20, of: clock) { stalls(run).count > 1 } == false, "one report a stall")
        await run.runner.cancel()
        try await run.finish()
    }

    @Test func aSourceWithoutInputIsAStallOnlyWhileSomethingIsWanted() async throws {
        let (clock, options) = manual()
        let gate = Gate(open: true)
        let run = try RunFixture(.line(), scripts: ["source": Script.endless.gated(by: gate)], options: options)
        #expect(await eventually { run.values().count > 5 })
        await run.runner.setWanted(false)
        gate.close()
        #expect(await eventually { run.isQuiet })
        #expect(await pass(20, of: clock) { !stalls(run).isEmpty } == false)
        await run.runner.setWanted(true)
        #expect(await pass(20, of: clock) { !stalls(run).isEmpty })
        #expect(stalls(run) == [.stalled(node: "source")])
        await run.runner.cancel()
        try await run.finish()
    }

    @Test func theBusyNodeIsNamed() async throws {
        let (clock, options) = manual()
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self)
        builder.node("slow", ToySlow.self, options: ["pause": .duration(.seconds(3_600))])
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "slow", "sink", limits: ChannelLimits(span: nil, items: 4))
        let run = try RunFixture(builder, scripts: ["source": .endless], options: options)
        #expect(await eventually { run.activity("source") == .waitingForOutput && clock.sleeperCount >= 2 })
        #expect(await pass(20, of: clock, sleepers: 2) { !stalls(run).isEmpty })
        #expect(stalls(run) == [.stalled(node: "slow")])
        await run.runner.cancel()
        try await run.finish()
    }

    @Test func aDrainedGraphThatStaysAliveIsNoStall() async throws {
        var (clock, options) = manual()
        options.staysAlive = true
        let run = try RunFixture(.line(), scripts: ["source": .tokens(10)], options: options)
        #expect(await eventually { run.runner.phase == .drained })
        #expect(await pass(20, of: clock) { !stalls(run).isEmpty } == false)
        await run.runner.cancel()
        try await run.finish()
        _ = clock
    }
}
