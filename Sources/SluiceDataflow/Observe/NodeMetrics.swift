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
    private let repairs = Locked<[String: UInt64]>([:])
    /// Raw value of ``NodeActivity``.
    private let waitState = Atomic<UInt8>(0)
    /// Readings of the node's stopwatch in nanoseconds: when it began, its latest wait began, and it ended.
    private let began = Atomic<Int64>(0)
    private let waitBegan = Atomic<Int64>(0)
    private let ended = Atomic<Int64>(-1)

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

    /// What a node has mended since it began, by family; the whole, not what is new.
    public func setRepairs(_ counts: [(String, Int)]) {
        repairs.withLock { repairs in
            for (family, count) in counts { repairs[family] = UInt64(clamping: count) }
        }
    }

    public func setEpoch(_ epoch: Epoch) { epochNumber.store(epoch.number, ordering: .relaxed) }

    func begin(at nanoseconds: Int64) { began.store(nanoseconds, ordering: .relaxed) }

    func end(at nanoseconds: Int64) {
        ended.store(nanoseconds, ordering: .relaxed)
        waitState.store(NodeActivity.ended.rawValue, ordering: .relaxed)
    }

    func beginWait(_ what: NodeActivity, at nanoseconds: Int64) {
        waitBegan.store(nanoseconds, ordering: .relaxed)
        waitState.store(what.rawValue, ordering: .relaxed)
    }

    func endWait(_ what: NodeActivity, nanoseconds: Int64) {
        waitState.store(NodeActivity.busy.rawValue, ordering: .relaxed)
        let spent = UInt64(max(0, nanoseconds))
        switch what {
        case .waitingForOutput: waitOutput.wrappingAdd(spent, ordering: .relaxed)
        case .waitingForInput, .parked: waitInput.wrappingAdd(spent, ordering: .relaxed)
        case .busy, .ended: break
        }
    }

    /// - Parameter now: reading of the node's stopwatch; counts a wait that is still going on. Nil leaves it out.
    func snapshot(at now: Int64? = nil) -> NodeNumbers {
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
        numbers.repairs = repairs.withLock { $0 }
        guard let now else { return numbers }
        let end = ended.load(ordering: .relaxed)
        numbers.alive = UInt64(max(0, (end < 0 ? now : end) - began.load(ordering: .relaxed)))
        let waiting = UInt64(max(0, now - waitBegan.load(ordering: .relaxed)))
        switch numbers.activity {
        case .waitingForOutput: numbers.waitOutput &+= waiting
        case .waitingForInput, .parked: numbers.waitInput &+= waiting
        case .busy, .ended: break
        }
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
    /// Its `run` returned.
    case ended = 4
}

/// Counters of a node at one moment. Waits are nanoseconds since the start.
public struct NodeNumbers: Sendable, Hashable {
    public var itemsIn: UInt64 = 0
    public var itemsOut: UInt64 = 0
    public var bytesIn: UInt64 = 0
    public var bytesOut: UInt64 = 0
    public var waitInput: UInt64 = 0
    public var waitOutput: UInt64 = 0
    /// Nanoseconds between its start and now, or its end.
    public var alive: UInt64 = 0
    public var errors: UInt64 = 0
    /// Timeline position of the newest payload sent, in nanoseconds.
    public var lastPosition: Int64?
    public var epoch = Epoch.first
    public var activity = NodeActivity.busy
    public var latestError: String?
    /// What it has mended, by family.
    public var repairs: [String: UInt64] = [:]
    public init() {}

    /// Nanoseconds neither waited for input nor for room. Busy and both waits add up to ``alive``.
    public var busy: UInt64 {
        let waits = waitInput &+ waitOutput
        return alive > waits ? alive - waits : 0
    }

    /// Grows with every item that moves: what the stall detector watches.
    public var progress: UInt64 { itemsIn &+ itemsOut }
}
