public import SluiceCore
public import SluiceDataflow

/// How a harness treats its node: options, limits, what the host provides.
public struct HarnessSetup: Sendable {
    /// Name that the node sees; nil means its kind.
    public var name: String?
    public var options: [String: OptionValue] = [:]
    public var resources = Resources.none
    public var clock: any TimeSource = SystemTimeSource()
    public var logger = Logger.silent
    public var inputLimits = ChannelLimits()
    public var outputLimits = ChannelLimits()
    /// Nil puts kinds that may block on a lane, others on the pool.
    public var dedicated: Bool?

    public init() {}

    /// One item at a time in and out.
    public static var oneSlot: HarnessSetup {
        var setup = HarnessSetup()
        setup.inputLimits.items = 1
        setup.outputLimits.items = 1
        return setup
    }

    func run<Kind: Node>(
        _ kind: Kind.Type, inputs: [String: any AnyChannel], outputs: [String: any AnyChannel],
        reports: Locked<[NodeReport]>
    ) -> NodeRun {
        let name = name ?? Kind.descriptor.kind
        let core = NodeCore(
            name: name, clock: clock, logger: logger, report: { report in reports.withLock { $0.append(report) } })
        let context = NodeContext(
            core: core, descriptor: Kind.descriptor, options: options, inputs: inputs, outputs: outputs,
            resources: resources)
        return NodeRun(
            core: core, context: context,
            lane: dedicated ?? Kind.descriptor.mayBlock ? try? BlockingLane(name: name) : nil,
            channels: Array(inputs.values) + Array(outputs.values))
    }
}
