import SluiceCore
import SluiceDataflow
import SluiceGraph
import SluiceTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RunSeekTests {
    private let small = ChannelLimits(bytes: 1_000, span: nil, items: 8)

    private func time(_ milliseconds: Int) -> SeekTarget { .time(Timestamp(Int64(milliseconds), .milliseconds)) }
    private func landed(_ milliseconds: Int) -> SeekOutcome {
        .landed(Timestamp(Int64(milliseconds), .milliseconds))
    }

    /// The sink is shut, so source and filter are stuck in sends when the seek comes.
    @Test func aSeekFreesABlockedSend() async throws {
        let gate = Gate()
        let run = try RunFixture(.line(limits: small), scripts: ["source": .endless], gates: ["sink": gate])
        #expect(await eventually { run.activity("source") == .waitingForOutput && gate.arrivals == 1 })
        async let outcome = run.runner.seek(to: time(50_000))
        #expect(
            await eventually {
                run.runner.snapshot().nodes.allSatisfy { $0.name == "sink" || $0.numbers.epoch == Epoch(1) }
            })
        gate.open()
        #expect(await outcome == landed(50_000))
        #expect(await eventually { run.values(in: 1).count >= 3 })
        await run.runner.cancel()
        try await run.finish()
        #expect(run.values(in: 1).starts(with: [5_000, 5_001, 5_002]))
        #expect(run.values(in: 0) == [0], "the one that was in the sink's hands, nothing stale behind it")
        let first = try #require(run.recorder.items(of: "sink", in: Epoch(1)).first?.event)
        #expect(first.isSticky)
    }

    @Test func aLaterSeekSupersedesAnEarlierOne() async throws {
        let gate = Gate(open: true)
        let run = try RunFixture(.line(), scripts: ["source": .endless.gated(by: gate)])
        #expect(await eventually { run.values().count > 0 })
        gate.close()
        async let first = run.runner.seek(to: time(1_000))
        #expect(await eventually { run.runner.phase == .seeking(Epoch(1)) })
        async let second = run.runner.seek(to: time(2_000))
        #expect(await first == .superseded)
        gate.open()
        #expect(await second == landed(2_000))
        await run.runner.cancel()
        try await run.finish()
        #expect(run.values(in: 1) == [])
        #expect(run.values(in: 2).first == 200)
    }

    @Test func aSeekThatTheSourceCannotFollowIsRejected() async throws {
        let run = try RunFixture(.line(limits: small), scripts: ["source": .tokens(100)], gates: ["sink": Gate()])
        #expect(await eventually { run.runner.phase == .running })
        #expect(await run.runner.seek(to: time(5_000)) == .rejected("nothing there"))
        #expect(run.runner.phase == .running)
        await run.runner.cancel()
        try await run.finish()
        #expect(await run.runner.seek(to: time(0)) == .rejected("the graph has stopped"))
    }

    /// Production then begins at the target: nothing of what lies before is ever sent.
    @Test func aSeekBeforeTheStartIsWhereProductionBegins() async throws {
        let recorder = Recorder<Token>()
        let runner = try GraphRunner(
            plan: PlanBuilder.line().plan, registry: .toys,
            resources: Resources().with(recorder).with(Scripts(["source": .tokens(10)])))
        async let outcome = runner.seek(to: time(50))
        #expect(await eventually { runner.snapshot().epoch == Epoch(1) })
        async let run: Void = runner.run()
        let landed = await outcome
        try await run
        guard case .landed = landed else {
            Issue.record("expected a landing, got \(landed)")
            return
        }
        #expect(runner.snapshot().nodes.allSatisfy { $0.numbers.epoch == Epoch(1) })
    }

    @Test func aSeekStallsAtItsDeadlineAndMayStillLand() async throws {
        let clock = ManualClock()
        var options = RunnerOptions()
        options.clock = clock
        let gate = Gate(open: true)
        let run = try RunFixture(.line(), scripts: ["source": .endless.gated(by: gate)], options: options)
        #expect(await eventually { run.values().count > 0 })
        gate.close()
        async let outcome = run.runner.seek(to: time(700))
        // The stall monitor and the seek's deadline.
        #expect(await eventually { clock.sleeperCount >= 2 && run.runner.phase == .seeking(Epoch(1)) })
        clock.advance(by: .seconds(8))
        #expect(await outcome == .stalled)
        #expect(run.runner.phase == .running)
        gate.open()
        #expect(
            await eventually {
                run.events.all.contains { event in
                    if case .lateLanding(let id, let time) = event {
                        id.number == 1 && time == Timestamp(700, .milliseconds)
                    } else {
                        false
                    }
                }
            })
        #expect(await run.runner.seek(to: time(900)) == landed(900))
        await run.runner.cancel()
        try await run.finish()
    }

    @Test func aGraphThatStaysAliveCanBeSoughtAfterItsEnd() async throws {
        var options = RunnerOptions()
        options.staysAlive = true
        let run = try RunFixture(.line(), scripts: ["source": .tokens(20)], options: options)
        #expect(await eventually { run.runner.phase == .drained })
        #expect(await eventually { run.activity("source") == .parked })
        #expect(await run.runner.seek(to: time(150)) == landed(150))
        #expect(await eventually { run.runner.phase == .drained })
        #expect(run.values(in: 1) == [15, 16, 17, 18, 19])
        try await run.runner.drain()
        try await run.finish()
        #expect(run.runner.phase == .drained)
        #expect(await run.runner.seek(to: time(0)) == .rejected("the graph has ended"))
    }

    /// Nothing but an end in the new epoch: it landed, nowhere in particular.
    @Test func aSeekToTheVeryEndLandsWithoutATime() async throws {
        var options = RunnerOptions()
        options.staysAlive = true
        var script = Script.tokens(5)
        script.position = { _ in 5 }
        let run = try RunFixture(.line(), scripts: ["source": script], options: options)
        #expect(await eventually { run.runner.phase == .drained })
        #expect(await run.runner.seek(to: time(50)) == .landed(nil))
        await run.runner.cancel()
        try await run.finish()
    }

    /// A thousand seeks in bursts, against a line with tiny channels: one outcome each, and no stale item anywhere.
    @Test(arguments: ThreadPlacement.allCases) func aSeekStormEndsEverySeekOnce(thread: ThreadPlacement) async throws {
        var builder = PlanBuilder()
        builder.node("source", ScriptedSource.self, thread: thread)
        builder.node("pass", ToyPass.self, thread: thread)
        builder.node("sink", RecordingSink<Token>.self, thread: thread)
        builder.chain("source", "pass", "sink", limits: small)
        let run = try RunFixture(builder, scripts: ["source": .endless])
        #expect(await eventually { run.runner.phase == .running })
        var outcomes: [String: Int] = [:]
        for burst in 0..<20 {
            let results = await withTaskGroup(of: SeekOutcome.self) { tasks in
                for index in 0..<50 {
                    tasks.addTask { await run.runner.seek(to: .segment(burst * 10_000 + index * 100)) }
                }
                return await tasks.reduce(into: [SeekOutcome]()) { $0.append($1) }
            }
            #expect(results.count == 50)
            for outcome in results {
                switch outcome {
                case .landed: outcomes["landed", default: 0] += 1
                case .superseded: outcomes["superseded", default: 0] += 1
                case .stalled, .rejected: Issue.record("unexpected \(outcome)")
                }
            }
        }
        #expect(outcomes.values.reduce(0, +) == 1_000)
        #expect(outcomes["landed", default: 0] >= 20, "at least the last of each burst")
        #expect(run.runner.snapshot().epoch == Epoch(1_000))
        await run.runner.cancel()
        try await run.finish()
        var last: (epoch: Epoch, value: Int?) = (.first, nil)
        for entry in run.recorder.entries {
            if entry.epoch != last.epoch {
                #expect(entry.epoch > last.epoch)
                #expect(entry.item.event?.isSticky == true, "an epoch begins with its sticky events")
                last = (entry.epoch, nil)
            } else if let token = entry.item.payload {
                if let previous = last.value { #expect(token.value == previous + 1) }
                last.value = token.value
            }
        }
    }
}
