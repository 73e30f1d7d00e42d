import SluiceCommand
import SluiceCore
import Testing

private struct OKCommand: Command {
    static let spec = CommandSpec(
        "graph validate", "Checks a graph.", positionals: [PositionalSpec("file", .one, "A file.")])
    func run(_ context: CommandContext) async throws -> ExitCode {
        context.emit(text: "fine", json: #"{"valid":true}"#)
        return .ok
    }
}

private struct FailingCommand: Command {
    static let spec = CommandSpec("fail", "Fails.", options: [.value("how", "kind", .string, "Kind of failure.")])
    func run(_ context: CommandContext) async throws -> ExitCode {
        switch context.arguments.string("how") {
        case "graph":
            throw DiagnosticList(
                [
                    Diagnostic(
                        .error, "unknown-port", "node 'h' has no input 'p'", file: "g.json", line: 69, column: 42,
                        hint: "'packets'"),
                    Diagnostic(.warning, "no-sink", "nothing ends", file: "g.json"),
                ], exitCode: .invalidGraph)
        case "node": throw NodeFailure(.notFound, "no file 'x'")
        case "interrupt":
            await context.interruption.wait()
            throw CancellationError()
        default: throw Diagnostic(.error, "odd", "odd thing")
        }
    }
}

@Suite struct CommandRegistryTests {
    let registry = CommandRegistry(
        program: "tool", summary: "A tool.", commands: [OKCommand.self, FailingCommand.self])

    func run(
        _ words: String..., interruption: Interruption = Interruption()
    ) async -> (code: ExitCode, output: String, errors: String) {
        let output = Locked("")
        let errors = Locked("")
        let console = Console(
            output: { text in output.withLock { $0 += text } }, errors: { text in errors.withLock { $0 += text } })
        let code = await registry.run(words, console: console, interruption: interruption)
        return (code, output.withLock { $0 }, errors.withLock { $0 })
    }

    @Test func findsCommandsOfTwoWords() async {
        #expect(await run("graph", "validate", "x.json").output == "fine\n")
        #expect(await run("graph", "validate", "x.json", "--json").output == "{\"valid\":true}\n")
        #expect(await run("graph", "--help").output.contains("graph validate"))
        let wrong = await run("graph", "validat", "x")
        #expect(wrong.code == .usage)
        #expect(wrong.errors.contains("did you mean 'graph validate'?"))
        #expect(await run("graph").code == .usage)
    }

    @Test func turnsFailuresIntoLinesAndCodes() async {
        let graph = await run("fail", "--how", "graph")
        #expect(graph.code == .invalidGraph)
        #expect(
            graph.errors == """
                g.json:69:42: error[unknown-port]: node 'h' has no input 'p' (hint: 'packets')
                g.json: warning[no-sink]: nothing ends

                """)
        let node = await run("fail", "--how", "node")
        #expect(node.code == .failed)
        #expect(node.errors == "tool: error[not-found]: no file 'x'\n")
        #expect(await run("fail").errors == "error[odd]: odd thing\n")
        #expect(await run("fail").output.isEmpty)
    }

    @Test func interruptionEndsAWaitingCommand() async {
        let interruption = Interruption()
        async let ended = run("fail", "--how", "interrupt", interruption: interruption)
        interruption.raise()
        #expect(await ended.code == .failed)
        let count = Locked(0)
        interruption.onInterrupt { count.withLock { $0 += 1 } }
        #expect(count.withLock { $0 } == 1, "a late handler runs at once")
    }
}

@Suite struct ProgressTests {
    final class Clock: TimeSource {
        let instant = Locked(ContinuousClock.now)
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func sleep(until deadline: ContinuousClock.Instant) async throws {}
        func advance(_ duration: Duration) { instant.withLock { $0 += duration } }
    }

    @Test func drawsTenTimesASecondAtMostAndCutsToTheTerminal() {
        let clock = Clock()
        let written = Locked<[String]>([])
        let progress = Progress(isEnabled: true, columns: 10, time: clock) { text in
            written.withLock { $0.append(text) }
        }
        for step in 0..<100 {
            progress.update("step \(step) of a hundred")
            clock.advance(.milliseconds(10))
        }
        let lines = written.withLock { $0 }
        #expect(lines.count == 10)
        #expect(lines.first == "\r\u{1B}[Kstep 0 of")
        progress.finish()
        progress.finish()
        #expect(written.withLock { $0.count } == 11)
        #expect(written.withLock { $0.last } == "\r\u{1B}[K")
    }

    @Test func staysSilentWhereNobodyWatches() {
        let written = Locked(0)
        let progress = Progress(isEnabled: false, columns: 80, time: Clock()) { _ in written.withLock { $0 += 1 } }
        progress.update("x")
        progress.finish()
        #expect(written.withLock { $0 } == 0)
    }
}
