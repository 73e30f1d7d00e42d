public import SluiceCore
public import SluiceDataflow

/// What a harness does to its node, in order.
public enum HarnessStep<Input: MediaPayload>: Sendable {
    case item(Item<Input>)
    /// Wait until the node has taken everything and waits for more.
    case settle
    /// Start a new epoch on every channel, as a seek does.
    case flush
    case control(ControlMessage)
    /// Ask the node to leave, as a cancelled graph does.
    case cancel

    public static func items(_ items: [Item<Input>]) -> [HarnessStep] { items.map(HarnessStep.item) }
}

/// What came out of a harness.
public struct HarnessResult<Output: MediaPayload>: Sendable {
    /// In order, over all epochs.
    public var items: [Item<Output>] = []
    /// Items of each epoch, epochs that had none included.
    public var epochs: [[Item<Output>]] = [[]]
    /// What the node told its runner.
    public var reports: [NodeReport] = []
    public var numbers = NodeNumbers()
}

/// Collects what comes out of a channel while its producer runs.
public final class ChannelCollector<Payload: MediaPayload>: Sendable {
    public let channel: Channel<Payload>
    private let state = Locked<[(epoch: Epoch, item: Item<Payload>)]>([])

    public init(_ channel: Channel<Payload>) { self.channel = channel }

    public var items: [Item<Payload>] { state.withLock { $0.map(\.item) } }
    public var entries: [(epoch: Epoch, item: Item<Payload>)] { state.withLock { $0 } }

    /// Runs until the channel is closed and empty.
    public func run() async {
        let core = NodeCore(name: "collector")
        let input = InputPort(name: "in", core: core, channel: channel)
        while true {
            switch await input.next() {
            case .payload(let payload): state.withLock { $0.append((input.epoch, .payload(payload))) }
            case .event(let event): state.withLock { $0.append((input.epoch, .event(event))) }
            case .closed, .cancelled: return
            case .flushed, .control, .nothing: continue
            }
        }
    }
}
