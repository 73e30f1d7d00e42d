import SluiceCore
import SluiceDataflow
import SluiceTestKit
import Testing

/// The toys keep the promises that every stage must keep; a node that breaks one is found out.
@Suite struct ContractTests {
    private let tokens: [Item<Token>] = (0..<100).map { .token($0, at: .milliseconds(10 * $0)) }

    @Test func toyFiltersKeepTheContract() async {
        var broken = await NodeContract.filter(
            NodeHarness(ToyPass.self, input: "in", output: "out"), examples: tokens, describe: \.description
        ).check()
        broken += await NodeContract.filter(
            NodeHarness(ToyDelay.self, input: "in", output: "out"), examples: tokens, describe: \.description
        ).check()
        broken += await NodeContract.filter(
            NodeHarness(ToyBatchPass.self, input: "in", output: "out"), examples: tokens, describe: \.description
        ).check()
        broken += await NodeContract.filter(
            NodeHarness(ToySplitter.self, input: "in", of: Token.self, output: "left", of: Token.self),
            examples: tokens, describe: \.description
        ).check()
        #expect(broken == [])
    }

    @Test func recordingSinksKeepTheContract() async {
        var setup = HarnessSetup()
        setup.resources = Resources().with(Recorder<Token>())
        var broken = await NodeContract.sink(
            { [setup] in SinkHarness(RecordingSink<Token>.self, input: "in", setup: setup) }, examples: tokens
        ).check()
        broken += await NodeContract.sink(
            { [setup] in SinkHarness(RecordingTap<Token>.self, input: "in", setup: setup) }, examples: tokens
        ).check()
        #expect(broken == [])
    }

    @Test func theScriptedSourceKeepsTheContract() async {
        var setup = HarnessSetup()
        var script = Script.tokens(200)
        script.sticky = [.segment(TimelineSegment(start: Timestamp(0, .mpeg), sourceStart: Timestamp(0, .mpeg)))]
        setup.resources = Resources().with(Scripts(["scripted-source": script]))
        let broken = await NodeContract.source(
            { [setup] in SourceHarness(ScriptedSource.self, output: "out", of: Token.self, setup: setup) },
            seek: .time(Timestamp(seconds: 1)), describe: \.description
        ).check()
        #expect(broken == [])
    }

    /// Keeps what it held over a flush and loses what it holds at the end.
    private actor Leaky: FilterNode {
        static let descriptor = NodeDescriptor(
            kind: "leaky", ports: [.input("in", .packet), .output("out", .packet)],
            options: [OptionDescriptor("size", .integer(1...5), default: .integer(9), "Out of range.")],
            summary: "Breaks promises.")
        let input: InputPort<Token>
        let output: OutputPort<Token>
        private var held: Token?
        init(context: NodeContext) throws(NodeFailure) {
            input = try context.input("in")
            output = try context.output("out")
        }
        func process(_ token: Token) async throws(NodeFailure) {
            if let held { await output.send(held) }
            held = token
        }
    }

    @Test func aLeakyFilterIsFoundOut() async {
        let broken = await NodeContract.filter(
            NodeHarness(Leaky.self, input: "in", output: "out"), examples: tokens, describe: \.description
        ).check()
        #expect(broken.count == 2)
        #expect(broken.contains { $0.hasPrefix("leaky: a flush forgets") })
        #expect(broken.contains { $0.hasPrefix("leaky: options have ranges") })
    }

    @Test func everyOutputOfANodeCanBeCollected() async throws {
        var harness = NodeHarness(ToySplitter.self, input: "in", of: Token.self, output: "left", of: Token.self)
        harness.setup.options["mode"] = .string("alternate")
        let odd = harness.tap("right", Token.self)
        let even = try await harness.run(tokens + [.end])
        #expect(even.payloads().map(\.value) == Array(stride(from: 0, to: 100, by: 2)))
        #expect(odd.items.payloads().map(\.value) == Array(stride(from: 1, to: 100, by: 2)))
        #expect(odd.items.events() == [.endOfStream(.sourceEnded)])
    }

    @Test func failuresOfANodeAreThrown() async {
        var harness = NodeHarness(ToyFailing.self, input: "in", output: "out")
        harness.setup.options["at"] = .integer(40)
        await #expect(throws: NodeFailure(.malformedInput, "token 40 is broken; expected any other")) {
            _ = try await harness.run(tokens + [.end])
        }
    }

    /// An input and an output of one name are two ends.
    private actor SameName: FilterNode {
        static let descriptor = NodeDescriptor(
            kind: "same-name", ports: [.input("packets", .packet), .output("packets", .packet)],
            summary: "Passes everything on.")
        let input: InputPort<Token>
        let output: OutputPort<Token>
        init(context: NodeContext) throws(NodeFailure) {
            input = try context.input("packets")
            output = try context.output("packets")
        }
        func process(_ token: Token) async throws(NodeFailure) { await output.send(token) }
    }

    @Test func portsOfBothDirectionsMayShareAName() async throws {
        let items = try await NodeHarness(SameName.self, input: "packets", output: "packets").run(tokens + [.end])
        #expect(items.payloads().map(\.value) == Array(0..<100))
    }
}
