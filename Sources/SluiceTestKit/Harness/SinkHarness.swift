public import SluiceCore
public import SluiceDataflow

/// One sink behind a real channel; what it does is seen in the resources it was given and in its reports.
public struct SinkHarness<Kind: SinkNode>: Sendable {
    public var setup: HarnessSetup
    let inputName: String

    public init(_ kind: Kind.Type, input: String, setup: HarnessSetup = HarnessSetup()) {
        self.setup = setup
        inputName = input
    }

    /// Feeds the items, closes the input and returns what the sink told its runner.
    @discardableResult
    public func run(_ items: [Item<Kind.Input>]) async throws -> [NodeReport] {
        try await run(steps: items.map(HarnessStep.item)).reports
    }

    /// As ``run(_:)``, step by step. The result has no items.
    public func run(steps: [HarnessStep<Kind.Input>]) async throws -> HarnessResult<Kind.Input> {
        let reports = Locked<[NodeReport]>([])
        let source = Channel<Kind.Input>(limits: setup.inputLimits)
        let run = setup.run(Kind.self, inputs: [inputName: source], outputs: [:], reports: reports)
        let feeder = StepFeeder(run: run, channel: source, others: [])
        try await run.run(Kind.self, helpers: [{ _ = await feeder.feed(steps) }])
        var result = HarnessResult<Kind.Input>()
        result.reports = reports.withLock { $0 }
        result.numbers = run.core.numbers
        return result
    }
}
