public import SluiceCore
public import SluiceDataflow

/// A source that sends its ``Script``, found by the node's name among the host's ``Scripts``.
public actor ScriptedSource: SourceNode {
    public static let descriptor = NodeDescriptor(
        kind: "scripted-source", ports: [.output("out", .packet)], summary: "Sends a script of items.")

    public let core: NodeCore
    private let output: OutputPort<Token>
    private let script: Script
    private var next = 0
    private var owesSticky = true

    public var outputs: [any AnyOutputPort] { [output] }

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        output = try context.output("out")
        guard let script = try context.resource(Scripts.self).byNode[context.name] else {
            throw NodeFailure(.missingResource, "no script for node '\(context.name)'")
        }
        self.script = script
    }

    public func produce() async throws(NodeFailure) -> ProduceResult {
        if owesSticky {
            owesSticky = false
            for event in script.sticky { await output.send(event) }
        }
        if let gate = script.gate, !gate.check(core.waker) { return .wouldBlock }
        guard next < script.length else { return .ended(script.end) }
        let item = script.item(next)
        next += 1
        switch item {
        case .payload(let token): await output.send(token)
        case .event(let event): await output.send(event)
        }
        return .produced
    }

    public func seek(_ request: SeekRequest) async throws(NodeFailure) -> String? {
        owesSticky = true
        guard let position = script.position(request.target) else { return "nothing there" }
        next = position
        return nil
    }
}
