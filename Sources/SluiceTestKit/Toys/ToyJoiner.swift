public import SluiceCore
public import SluiceDataflow

/// Two inputs, one output: merges by time and so waits for the input that is behind, as a stream merger does.
public actor ToyJoiner: Node {
    public static let descriptor = NodeDescriptor(
        kind: "toy-joiner",
        ports: [.input("left", .packet), .input("right", .packet), .output("out", .packet)],
        options: [
            OptionDescriptor("batch", .integer(1...1024), default: .integer(32), "Items moved at a time.")
        ],
        summary: "Merges two lines by time.")

    private final class Side {
        let input: InputPort<Token>
        var head: Token?
        var ended = false
        init(_ input: InputPort<Token>) { self.input = input }
    }

    private let core: NodeCore
    private let left: Side
    private let right: Side
    private let output: OutputPort<Token>
    private var epoch = Epoch.first

    public init(context: NodeContext) throws(NodeFailure) {
        core = context.core
        let batch = try context.integer("batch")
        left = Side(try context.input("left", batch: batch))
        right = Side(try context.input("right", batch: batch))
        output = try context.output("out", batch: batch)
    }

    public func run() async throws(NodeFailure) {
        while !core.isCancelled {
            while core.inbox.take() != nil {}
            guard fill(left), fill(right) else { return }
            switch (left.head, right.head) {
            case (let first?, let second?):
                let leftLeads = (first.timelinePosition ?? 0) <= (second.timelinePosition ?? 0)
                await forward(leftLeads ? left : right)
            case (_?, nil) where right.ended: await forward(left)
            case (nil, _?) where left.ended: await forward(right)
            case (nil, nil) where left.ended && right.ended:
                (left.ended, right.ended) = (false, false)
                await output.send(.endOfStream(.sourceEnded))
            default:
                if output.hasStaged { await output.push() } else { await core.waitForInput() }
            }
        }
    }

    private func forward(_ side: Side) async {
        guard let token = side.head else { return }
        side.head = nil
        await output.send(token)
    }

    /// False when the input is closed and nothing is left of it.
    private func fill(_ side: Side) -> Bool {
        while side.head == nil, !side.ended {
            switch side.input.poll() {
            case .payload(let token): side.head = token
            case .event(.endOfStream): side.ended = true
            case .event: break
            case .flushed(let newest):
                (side.head, side.ended) = (nil, false)
                if newest > epoch {
                    epoch = newest
                    output.adopt(newest)
                }
            case .closed: return false
            case .nothing, .control, .cancelled: return true
            }
        }
        // A flush can come while a head is held or the end was seen.
        if side.input.isStale {
            (side.head, side.ended) = (nil, false)
            return fill(side)
        }
        return true
    }
}
