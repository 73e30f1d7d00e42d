import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RunEndTests {
    private let small = ChannelLimits(bytes: 1_000, span: nil, items: 8)

    @Test func aChainRunsToItsEndThroughItsPhases() async throws {
        let run = try RunFixture(.line(), scripts: ["source": .tokens(1_000)])
        try await run.finish()
        #expect(run.values() == Array(0..<1_000))
        #expect(run.events.phases == ["starting", "running", "drained"])
        let snapshot = run.runner.snapshot()
        #expect(snapshot.nodes.allSatisfy { $0.numbers.activity == .ended })
        #expect(snapshot.nodes.first { $0.name == "sink" }?.numbers.itemsIn == 1_001)
        #expect(snapshot.links.allSatisfy { $0.level.items == 0 && $0.level.closed })
    }

    @Test func drainFinishesWhatIsOnItsWay() async throws {
        let run = try RunFixture(.line(limits: small), scripts: ["source": .endless])
        #expect(await eventually { run.values().count > 100 })
        try await run.runner.drain()
        try await run.finish()
        #expect(run.runner.phase == .drained)
        let values = run.values()
        #expect(values == Array(0..<values.count))
        #expect(run.recorder.entries.last?.item.event == .endOfStream(.finished))
    }

    @Test func drainBeforeTheStartIsRemembered() async throws {
        let runner = try GraphRunner(
            plan: PlanBuilder.line().plan, registry: .toys,
            resources: Resources().with(Recorder<Token>()).with(Scripts(["source": .endless])))
        async let drained: Void = runner.drain()
        // The drain may or may not be first; both orders end.
        try await runner.run()
        try await drained
        #expect(runner.phase == .drained)
    }

    @Test func drainGivesUpAtItsDeadline() async throws {
        let clock = ManualClock()
        var options = RunnerOptions()
        options.clock = clock
        let run = try RunFixture(
            .line(limits: small), scripts: ["source": .endless], gates: ["sink": Gate()], options: options)
        #expect(await eventually { run.activity("source") == .waitingForOutput })
        let sleepers = clock.sleeperCount
        async let drained: Void = run.runner.drain(deadline: .seconds(3))
        #expect(await eventually { clock.sleeperCount > sleepers && run.runner.phase == .draining })
        clock.advance(by: .seconds(3))
        do {
            try await drained
            Issue.record("a drain behind a shut gate cannot succeed")
        } catch let failure as NodeFailure {
            #expect(failure.code == .timedOut)
        }
        try await run.finish()
        #expect(run.runner.phase == .cancelled)
    }

    @Test func cancelEndsARunWithoutAFailure() async throws {
        let run = try RunFixture(.line(limits: small), scripts: ["source": .endless], gates: ["sink": Gate()])
        #expect(await eventually { run.activity("source") == .waitingForOutput })
        await run.runner.cancel()
        try await run.finish()
        #expect(run.runner.phase == .cancelled)
        #expect(run.events.phases.last == "cancelled")
        try await run.runner.drain()
    }

    @Test func cancellingTheTaskOfARunEndsIt() async throws {
        let run = try RunFixture(.line(limits: small), scripts: ["source": .endless])
        #expect(await eventually { run.values().count > 10 })
        run.cancelTask()
        try await run.finish()
        #expect(run.runner.phase == .cancelled)
    }

    @Test func aRunnerRunsOnceAndNotAfterACancel() async throws {
        let runner = try GraphRunner(
            plan: PlanBuilder.line().plan, registry: .toys,
            resources: Resources().with(Recorder<Token>()).with(Scripts(["source": .endless])))
        await runner.cancel()
        try await runner.run()
        #expect(runner.phase == .cancelled)
        await #expect(throws: NodeFailure.self) { try await runner.run() }
    }

    /// A node that sleeps on a clock nobody moves is woken by the cancellation.
    @Test func cancelWakesANodeThatSleeps() async throws {
        let clock = ManualClock()
        var options = RunnerOptions()
        options.clock = clock
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self)
        builder.node("slow", ToySlow.self, options: ["pause": .duration(.seconds(60))])
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "slow", "sink")
        let run = try RunFixture(builder, scripts: ["source": .endless], options: options)
        #expect(await clock.waitForSleepers(2))
        await run.runner.cancel()
        try await run.finish()
        #expect(run.runner.phase == .cancelled)
    }

    @Test func theFirstFailureEndsTheGraphAndNamesItsNode() async throws {
        var builder = PlanBuilder("broken")
        builder.node("source", ScriptedSource.self)
        builder.node("filter", ToyFailing.self, options: ["at": .integer(500)])
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "filter", "sink")
        let run = try RunFixture(builder, scripts: ["source": .endless])
        let failure = try #require(await run.failure())
        #expect(failure.graph == "broken" && failure.node == "filter" && failure.group == "main")
        #expect(failure.failure.code == .malformedInput)
        #expect(run.runner.phase == .failed)
        #expect(run.values().count <= 500)
    }

    @Test func returningBeforeTheEndIsAnError() async throws {
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self)
        builder.node("early", ToyEarly.self, options: ["after": .integer(10)])
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "early", "sink")
        let run = try RunFixture(builder, scripts: ["source": .endless])
        let failure = try #require(await run.failure())
        #expect(failure.node == "early" && failure.failure.code == .internalInvariant)
    }

    @Test func aKindThatIsNotThereIsAnErrorAtOnce() {
        #expect(throws: NodeFailure.self) {
            _ = try GraphRunner(plan: PlanBuilder.line().plan, registry: NodeRegistry())
        }
    }

    /// Deaf for a minute; the run returns after the join deadline all the same.
    @Test(arguments: [200, 2_000]) func aStuckNodeIsAbandoned(milliseconds: Int) async throws {
        let before = AbandonedNodes.count
        var options = RunnerOptions()
        options.joinDeadline = .milliseconds(milliseconds)
        options.pool = BlockingThreads(ceiling: 2)
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self)
        builder.node("stuck", ToyStuck.self, options: ["at": .integer(5), "hold": .duration(.seconds(60))])
        builder.node("sink", RecordingSink<Token>.self)
        builder.chain("source", "stuck", "sink")
        let run = try RunFixture(builder, scripts: ["source": .endless], options: options)
        #expect(
            await eventually { run.runner.snapshot().nodes[1].numbers.itemsIn > 5 && run.activity("stuck") == .busy })
        let begin = ContinuousClock.now
        await run.runner.cancel()
        try await run.finish()
        let took = ContinuousClock.now - begin
        #expect(took >= .milliseconds(milliseconds) && took < .milliseconds(milliseconds + 3_000))
        #expect(run.runner.phase == .abandoned)
        #expect(run.events.all.contains(.abandoned(nodes: ["stuck"])))
        #expect(AbandonedNodes.count > before)
    }
}
