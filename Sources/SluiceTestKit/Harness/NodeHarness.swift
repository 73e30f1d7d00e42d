public import SluiceCore
public import SluiceDataflow

/// One node between two real channels; what comes out is collected while it runs.
///
/// Further outputs of the node can be collected with ``tap(_:_:)``; those that are neither collected nor required are
/// left unlinked.
public struct NodeHarness<Kind: Node, Input: MediaPayload, Output: MediaPayload>: Sendable {
    public var setup: HarnessSetup
    let inputName: String
    let outputName: String
    var taps: [(name: String, channel: any AnyChannel, collect: @Sendable () async -> Void)] = []

    /// - Parameters:
    ///   - input: name of the input port.
    ///   - output: name of the output port.
    public init(
        _ kind: Kind.Type, input: String, of inputType: Input.Type, output: String, of outputType: Output.Type,
        setup: HarnessSetup = HarnessSetup()
    ) {
        self.setup = setup
        inputName = input
        outputName = output
    }

    /// Links a further output and returns what will collect its items in the next run. For one run.
    public mutating func tap<Payload: MediaPayload>(
        _ name: String, _ type: Payload.Type, limits: ChannelLimits = ChannelLimits()
    ) -> ChannelCollector<Payload> {
        let collector = ChannelCollector(Channel<Payload>(limits: limits))
        taps.append((name, collector.channel, { await collector.run() }))
        return collector
    }

    /// Feeds the items, closes the input and returns everything that came out.
    ///
    /// - Throws: the node's ``NodeFailure``.
    public func run(_ items: [Item<Input>]) async throws -> [Item<Output>] {
        try await run(steps: items.map(HarnessStep.item)).items
    }

    /// Carries out the steps, closes the input and returns everything that came out.
    ///
    /// - Parameter collecting: false leaves the output unread, so that the node stops at a full channel.
    public func run(steps: [HarnessStep<Input>], collecting: Bool = true) async throws -> HarnessResult<Output> {
        let reports = Locked<[NodeReport]>([])
        let source = Channel<Input>(limits: setup.inputLimits)
        let collector = ChannelCollector(Channel<Output>(limits: setup.outputLimits))
        var outputs: [String: any AnyChannel] = [outputName: collector.channel]
        for tap in taps { outputs[tap.name] = tap.channel }
        let run = setup.run(Kind.self, inputs: [inputName: source], outputs: outputs, reports: reports)
        let feeder = StepFeeder(run: run, channel: source, others: Array(outputs.values))
        let epochs = Locked(1)
        var helpers: [@Sendable () async -> Void] = [
            {
                let count = await feeder.feed(steps)
                epochs.withLock { $0 = count }
            }
        ]
        if collecting { helpers.append { await collector.run() } }
        for tap in taps { helpers.append(tap.collect) }
        try await run.run(Kind.self, helpers: helpers)
        var result = HarnessResult<Output>()
        result.epochs = Array(repeating: [], count: epochs.withLock { $0 })
        for (epoch, item) in collector.entries {
            result.items.append(item)
            result.epochs[Int(epoch.number)].append(item)
        }
        result.reports = reports.withLock { $0 }
        result.numbers = run.core.numbers
        return result
    }
}

extension NodeHarness where Kind: FilterNode, Input == Kind.Input, Output == Kind.Output {
    public init(_ kind: Kind.Type, input: String, output: String, setup: HarnessSetup = HarnessSetup()) {
        self.init(kind, input: input, of: Input.self, output: output, of: Output.self, setup: setup)
    }
}

/// Carries out steps against the input of a node.
struct StepFeeder<Input: MediaPayload>: Sendable {
    let run: NodeRun
    let channel: Channel<Input>
    let others: [any AnyChannel]

    /// Returns the number of epochs; the input is closed then.
    func feed(_ steps: [HarnessStep<Input>]) async -> Int {
        let core = NodeCore(name: "feeder")
        let output = OutputPort(name: "out", core: core, channel: channel)
        var epoch = Epoch.first
        for step in steps {
            if channel.level.closed { break }
            switch step {
            case .item(.payload(let payload)): await output.send(payload)
            case .item(.event(let event)): await output.send(event)
            case .settle:
                await output.push()
                await run.settle([channel])
            case .flush:
                await output.push()
                epoch = epoch.next
                channel.flush(to: epoch)
                for other in others { other.flush(to: epoch) }
                output.adopt(epoch)
            case .control(let message): _ = run.core.post(message)
            case .cancel:
                await output.push()
                run.core.cancel()
            }
        }
        await output.push()
        channel.close()
        return Int(epoch.number) + 1
    }
}
