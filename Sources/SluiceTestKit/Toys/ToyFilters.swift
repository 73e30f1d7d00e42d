import Glibc
public import SluiceCore
public import SluiceDataflow

private func inOut(
    _ kind: String, _ options: [OptionDescriptor] = [], mayBlock: Bool = false, _ summary: String
) -> NodeDescriptor {
    NodeDescriptor(
        kind: kind, ports: [.input("in", .packet), .output("out", .packet)], options: options, mayBlock: mayBlock,
        summary: summary)
}

/// Passes everything on.
public actor ToyPass: FilterNode {
    public static let descriptor = inOut("toy-pass", [], "Passes everything on.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
    }

    public func process(_ token: Token) async throws(NodeFailure) { await output.send(token) }
}

/// As ``ToyPass``, with the port batches of its options.
public actor ToyBatchPass: DirectFilterNode {
    public static let descriptor = inOut(
        "toy-batch-pass",
        [OptionDescriptor("batch", .integer(1...1024), default: .integer(32), "Items moved at a time.")],
        "Passes everything on, a chosen number of items at a time.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>

    public init(context: NodeContext) throws(NodeFailure) {
        let batch = try context.integer("batch")
        input = try context.input("in", batch: batch)
        output = try context.output("out", batch: batch)
    }

    public func step(_ token: consuming Token) throws(NodeFailure) { output.stage(token) }
}

/// Holds tokens back until a newer one is further ahead than its look-ahead, as an encoder does.
public actor ToyDelay: FilterNode {
    public static let descriptor = inOut(
        "toy-delay",
        [
            OptionDescriptor(
                "lookAhead", .duration(.zero ... .seconds(60)), default: .duration(.seconds(1)),
                "Timeline distance by which the output lags.")
        ], "Holds tokens back, as an encoder with look-ahead does.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>
    private let lookAhead: Int64
    private var held: [Token] = []

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        lookAhead = try context.duration("lookAhead").nanoseconds
    }

    public func process(_ token: Token) async throws(NodeFailure) {
        held.append(token)
        let newest = token.timelinePosition ?? 0
        while let first = held.first, newest - (first.timelinePosition ?? 0) > lookAhead {
            held.removeFirst()
            await output.send(first)
        }
    }

    public func drain() async throws(NodeFailure) {
        let rest = held
        held = []
        for token in rest { await output.send(token) }
    }

    public func flush() { held = [] }
}

/// Sleeps on the graph's clock before every token.
public actor ToySlow: FilterNode {
    public static let descriptor = inOut(
        "toy-slow",
        [
            OptionDescriptor(
                "pause", .duration(.zero ... .seconds(3600)), default: .duration(.milliseconds(1)),
                "Time before every token.")
        ], "Sleeps before every token.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>
    private let clock: any TimeSource
    private let pause: Duration

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        pause = try context.duration("pause")
        clock = context.clock
    }

    public func process(_ token: Token) async throws(NodeFailure) {
        do { try await clock.sleep(until: clock.now + pause) } catch { return }
        await output.send(token)
    }
}

/// Fails at the token with a given value.
public actor ToyFailing: FilterNode {
    public static let descriptor = inOut(
        "toy-failing", [OptionDescriptor("at", .integer(0 ... .max), default: .integer(0), "Value of the token.")],
        "Fails at one token.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>
    private let at: Int

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        at = try context.integer("at")
    }

    public func process(_ token: Token) async throws(NodeFailure) {
        if token.value == at { throw NodeFailure(.malformedInput, "token \(at) is broken; expected any other") }
        await output.send(token)
    }
}

/// Blocks its thread at the token with a given value, deaf to everything.
public actor ToyStuck: FilterNode {
    public static let descriptor = inOut(
        "toy-stuck",
        [
            OptionDescriptor("at", .integer(0 ... .max), default: .integer(0), "Value of the token."),
            OptionDescriptor(
                "hold", .duration(.zero ... .seconds(600)), default: .duration(.seconds(60)), "How long it blocks."),
        ], mayBlock: true, "Blocks its thread at one token.")
    public let input: InputPort<Token>
    public let output: OutputPort<Token>
    private let at: Int
    private let hold: Duration

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        at = try context.integer("at")
        hold = try context.duration("hold")
    }

    public func process(_ token: Token) async throws(NodeFailure) {
        if token.value == at {
            let end = ContinuousClock.now + hold
            try BlockingScope.run { while ContinuousClock.now < end { usleep(10_000) } }
        }
        await output.send(token)
    }
}

/// Returns from its `run` after a number of tokens, without an end of stream: a bug that runners must notice.
public actor ToyEarly: Node {
    public static let descriptor = inOut(
        "toy-early", [OptionDescriptor("after", .integer(0 ... .max), default: .integer(0), "Tokens before.")],
        "Returns before its end of stream.")
    private let input: InputPort<Token>
    private let output: OutputPort<Token>
    private let after: Int

    public init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        after = try context.integer("after")
    }

    public func run() async throws(NodeFailure) {
        var seen = 0
        while seen < after, case .payload(let token) = await input.next() {
            await output.send(token)
            seen += 1
        }
        await output.push()
    }
}
