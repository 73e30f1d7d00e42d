import SluiceCore
import SluiceDataflow

/// A node that can be started: everything it needs, nothing of it made yet.
struct Blueprint: Sendable {
    let planned: PlannedNode
    let context: NodeContext
    let run: NodeRegistry.Run
    let lane: BlockingLane?
}

/// Makes the channels of a plan and hands every node its ends of them.
struct LinkedGraph: Sendable {
    struct Link: Sendable {
        let planned: PlannedLink
        let channel: any AnyChannel
    }

    let blueprints: [Blueprint]
    let links: [Link]

    init(
        plan: GraphPlan, registry: NodeRegistry, resources: Resources, options: RunnerOptions,
        report: @escaping @Sendable (_ node: String, NodeReport) -> Void
    ) throws(NodeFailure) {
        var links: [Link] = []
        // Apart, because an input and an output of a node may have the same name.
        var inputs: [String: [String: any AnyChannel]] = [:]
        var outputs: [String: [String: any AnyChannel]] = [:]
        for planned in plan.links {
            guard
                let channel = registry.makeChannel(planned.payload, limits: planned.limits, overflow: planned.overflow)
            else {
                throw NodeFailure(
                    .internalInvariant, "no channel type is registered for payload '\(planned.payload.rawValue)'")
            }
            links.append(Link(planned: planned, channel: channel))
            outputs[planned.fromNode, default: [:]][planned.fromPort] = channel
            inputs[planned.toNode, default: [:]][planned.toPort] = channel
        }
        var blueprints: [Blueprint] = []
        var shared: [String: BlockingLane] = [:]
        for node in plan.nodes {
            guard let run = registry.run(node.kind) else {
                throw NodeFailure(.unsupported, "node '\(node.name)': kind '\(node.kind)' is not registered")
            }
            let name = node.name
            let core = NodeCore(
                name: name, clock: options.clock, logger: options.logger.scoped(name), report: { report(name, $0) })
            if options.trace { core.trace.enable() }
            let context = NodeContext(
                core: core, descriptor: node.descriptor, options: node.options, inputs: inputs[name] ?? [:],
                outputs: outputs[name] ?? [:], resources: resources)
            let lane: BlockingLane?
            switch node.thread {
            case .pool: lane = nil
            case .dedicated: lane = try BlockingLane(name: name, pool: options.pool)
            case .shared:
                if shared[node.group] == nil {
                    shared[node.group] = try BlockingLane(name: node.group, pool: options.pool)
                }
                lane = shared[node.group]
            }
            blueprints.append(Blueprint(planned: node, context: context, run: run, lane: lane))
        }
        self.blueprints = blueprints
        self.links = links
    }

    /// Sinks before filters before sources, so that nothing is sent to a node that is not there.
    var startOrder: [Blueprint] {
        func rank(_ blueprint: Blueprint) -> Int {
            let descriptor = blueprint.planned.descriptor
            return descriptor.isSink ? 0 : (descriptor.isSource ? 2 : 1)
        }
        return blueprints.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }

    func channels(of node: String) -> [any AnyChannel] {
        links.filter { $0.planned.fromNode == node || $0.planned.toNode == node }.map(\.channel)
    }
}
