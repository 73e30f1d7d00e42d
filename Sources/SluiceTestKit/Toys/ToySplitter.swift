public import SluiceCore
public import SluiceDataflow

/// One input, two outputs: every token goes to both, or even values left and odd ones right.
public actor ToySplitter: Node {
    public static let descriptor = NodeDescriptor(
        kind: "toy-splitter",
        ports: [.input("in", .packet), .output("left", .packet), .output("right", .packet, required: false)],
        options: [
            OptionDescriptor("batch", .integer(1...1024), default: .integer(32), "Items moved at a time."),
            OptionDescriptor(
                "mode", .choice(["both", "alternate"]), default: .string("both"), "Which tokens go where."),
        ], summary: "Splits a line in two.")

    private let core: NodeCore
    private let input: InputPort<Token>
    private let left: OutputPort<Token>
    private let right: OutputPort<Token>
    private let alternates: Bool

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        let batch = try context.integer("batch")
        input = try context.input("in", batch: batch)
        left = try context.output("left", batch: batch)
        right = try context.output("right", batch: batch)
        alternates = try context.string("mode") == "alternate"
    }

    public func run() async throws(NodeFailure) {
        while !core.isCancelled {
            while core.inbox.take() != nil {}
            switch input.poll() {
            case .payload(let token):
                if !alternates || token.value & 1 == 0 { await left.send(token) }
                if !alternates || token.value & 1 == 1 { await right.send(token) }
            case .event(let event):
                await left.send(event)
                await right.send(event)
            case .flushed(let epoch):
                left.adopt(epoch)
                right.adopt(epoch)
            case .nothing:
                if left.hasStaged || right.hasStaged {
                    await left.push()
                    await right.push()
                } else {
                    await core.waitForInput()
                }
            case .closed, .cancelled: return
            case .control: continue
            }
        }
    }
}
