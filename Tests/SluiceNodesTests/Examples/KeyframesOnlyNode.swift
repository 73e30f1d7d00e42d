// The worked example of docs/node-authoring.md. A stage of the package would lie in Sources/SluiceNodes, with `public`
// imports for SluiceAV, SluiceCore and SluiceDataflow.
// doc: node
import SluiceAV
import SluiceCore
import SluiceDataflow

/// Keeps every n-th keyframe of each stream and drops everything else: the pictures of a seek bar.
actor KeyframesOnlyNode: FilterNode {
    static let descriptor = NodeDescriptor(
        kind: "keyframes-only",
        ports: [
            .input("packets", .packet),
            .output("packets", .packet),
        ],
        options: [
            OptionDescriptor("every", .integer(1...1_000), default: .integer(1), "Keeps one keyframe in so many.")
        ],
        summary: "Drops every packet but keyframes."
    )

    let input: InputPort<Packet>
    let output: OutputPort<Packet>
    private var rule: KeyframeRule

    init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("packets")
        output = try context.output("packets")
        rule = KeyframeRule(every: try context.integer("every"))
    }

    func process(_ packet: Packet) async throws(NodeFailure) {
        guard rule.admits(stream: packet.stream, isKeyframe: packet.isKeyframe) else { return }
        await output.send(packet)
    }

    func flush() { rule.reset() }
}
// doc end
