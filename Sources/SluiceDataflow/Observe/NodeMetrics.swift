public import SluiceCore
import Synchronization

/// Counters of one node; the ports and loops count, nodes only add errors. Relaxed atomics, no lock.
public final class NodeMetrics: Sendable {
    private let itemsIn = Atomic<UInt64>(0)
    private let itemsOut = Atomic<UInt64>(0)
    private let bytesIn = Atomic<UInt64>(0)
    private let bytesOut = Atomic<UInt64>(0)
    private let waitInput = Atomic<UInt64>(0)
    private let waitOutput = Atomic<UInt64>(0)
    private let errors = Atomic<UInt64>(0)
    private let position = Atomic<Int64>(.min)
    private let epochNumber = Atomic<UInt64>(0)
    private let latestError = Locked<String?>(nil)
    /// What the node waits for now: 0 nothing, 1 input, 2 output, 3 control (parked).
    private let waitState = Atomic<UInt8>(0)

    public init() {}

    public func countIn(items: Int, bytes: Int) {
        itemsIn.wrappingAdd(UInt64(items), ordering: .relaxed)
        bytesIn.wrappingAdd(UInt64(bytes), ordering: .relaxed)
    }

    public func countOut(items: Int, bytes: Int, position newest: Int64?) {
        itemsOut.wrappingAdd(UInt64(items), ordering: .relaxed)
        bytesOut.wrappingAdd(UInt64(bytes), ordering: .relaxed)
        if let newest { position.store(newest, ordering: .relaxed) }
    }

    /// One item could not be used; the latest example is kept for reports, the rest are only counted.
    public func countError(_ failure: NodeFailure) {
        errors.wrappingAdd(1, ordering: .relaxed)
        latestError.withLock { $0 = failure.description }
    }

    public func setEpoch(_ epoch: Epoch) { epochNumber.store(epoch.number, ordering: .relaxed) }

    func beginWait(_ what: NodeActivity) { waitState.store(what.rawValue, ordering: .relaxed) }

    func endWait(_ what: NodeActivity, nanoseconds: Int64) {
        waitState.store(NodeActivity.busy.rawValue, ordering: .relaxed)
        let spent = UInt64(max(0, nanoseconds))
        switch what {
        case .waitingForOutput: waitOutput.wrappingAdd(spent, ordering: .relaxed)
        case .waitingForInput, .parked: waitInput.wrappingAdd(spent, ordering: .relaxed)
        case .busy: break
        }
    }

    public func snapshot() -> NodeNumbers {
        var numbers = NodeNumbers()
        numbers.itemsIn = itemsIn.load(ordering: .relaxed)
        numbers.itemsOut = itemsOut.load(ordering: .relaxed)
        numbers.bytesIn = bytesIn.load(ordering: .relaxed)
        numbers.bytesOut = bytesOut.load(ordering: .relaxed)
        numbers.waitInput = waitInput.load(ordering: .relaxed)
        numbers.waitOutput = waitOutput.load(ordering: .relaxed)
        numbers.errors = errors.load(ordering: .relaxed)
        let newest = position.load(ordering: .relaxed)
        numbers.lastPosition = newest == .min ? nil : newest
        numbers.epoch = Epoch(epochNumber.load(ordering: .relaxed))
        numbers.activity = NodeActivity(rawValue: waitState.load(ordering: .relaxed)) ?? .busy
        numbers.latestError = latestError.withLock { $0 }
        return numbers
    }
}

/// What a node does at a moment. The bottleneck is the one that is busy while the others wait.
public enum NodeActivity: UInt8, Sendable, Hashable {
    case busy = 0
    case waitingForInput = 1
    case waitingForOutput = 2
    /// A source that sent its end of stream and waits for a seek.
    case parked = 3
}

/// Counters of a node at one moment. Waits are nanoseconds since the start.
public struct NodeNumbers: Sendable, Hashable {
    public var itemsIn: UInt64 = 0
    public var itemsOut: UInt64 = 0
    public var bytesIn: UInt64 = 0
    public var bytesOut: UInt64 = 0
    public var waitInput: UInt64 = 0
    public var waitOutput: UInt64 = 0
    public var errors: UInt64 = 0
    /// Timeline position of the newest payload sent, in nanoseconds.
    public var lastPosition: Int64?
    public var epoch = Epoch.first
    public var activity = NodeActivity.busy
    public var latestError: String?
    public init() {}

    /// Grows with every item that moves: what the stall detector watches.
    public var progress: UInt64 { itemsIn &+ itemsOut }
}
