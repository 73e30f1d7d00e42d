import SluiceCore
import SluiceDataflow

/// Decides what a runner does; does nothing itself. Each method returns the actions to carry out, in order.
struct RunnerStateMachine {
    enum Action: Equatable {
        case raiseTokens(Epoch)
        case flush(Epoch)
        case postSeek(SeekRequest)
        case postFinish
        case startSeekDeadline(SeekID)
        case resolve(SeekID, SeekOutcome)
        case emit(GraphEvent)
        /// Nothing more is to come: close the channels, let the nodes return.
        case closeChannels
        /// The drain is complete: whoever waits for it may go on.
        case drainFinished
        /// The nodes are gone: whoever waits for the run may go on, and the event stream ends.
        case finishRun
    }

    private struct PendingSeek {
        var id: SeekID
        var epoch: Epoch
        var waiting: Set<String>
        var earliest: Timestamp?
        /// The deadline has passed and the outcome was given.
        var late = false
    }

    private(set) var landingSinks: Set<String>
    private(set) var sinks: Set<String>
    let sources: Set<String>
    /// Whether the nodes live on after the end of stream, so that a seek can follow.
    let staysAlive: Bool

    private(set) var phase = RunnerPhase.idle
    private(set) var epoch = Epoch.first
    private var seek: PendingSeek?
    private var seekCount: UInt64 = 0
    private var unended: Set<String>
    private var rejections: Set<String> = []
    private var drainRequested = false
    /// The channels were told to close: nothing can move any more.
    private var closed = false

    init(landingSinks: Set<String>, sinks: Set<String>, sources: Set<String>, staysAlive: Bool) {
        self.landingSinks = landingSinks
        self.sinks = sinks
        self.sources = sources
        self.staysAlive = staysAlive
        unended = sinks
    }

    mutating func start() -> [Action] {
        guard phase == .idle else { return [] }
        return move(to: .starting)
    }

    mutating func started() -> [Action] {
        guard phase == .starting else { return [] }
        // Asked to drain before there was anything to drain: the nodes finish as soon as they are there.
        if drainRequested { return move(to: .running) + move(to: .draining) + [.postFinish] }
        return move(to: seek.map { $0.late ? .running : .seeking($0.epoch) } ?? .running)
    }

    mutating func seek(to target: SeekTarget) -> (SeekID, [Action]) {
        seekCount += 1
        let id = SeekID(number: seekCount)
        switch phase {
        // Before the start the message waits in the sources' inboxes: production then begins at the target.
        case .idle, .starting, .running, .seeking: break
        case .drained:
            if closed { return (id, [.resolve(id, .rejected("the graph has ended"))]) }
        case .draining: return (id, [.resolve(id, .rejected("the graph is draining"))])
        case .failed, .cancelled, .abandoned: return (id, [.resolve(id, .rejected("the graph has stopped"))])
        }
        var actions: [Action] = []
        if let earlier = seek, !earlier.late { actions.append(.resolve(earlier.id, .superseded)) }
        epoch = epoch.next
        unended = sinks
        rejections = []
        seek = PendingSeek(id: id, epoch: epoch, waiting: landingSinks)
        if phase != .idle, phase != .starting { actions += move(to: .seeking(epoch)) }
        actions += [
            .raiseTokens(epoch), .flush(epoch), .postSeek(SeekRequest(epoch: epoch, target: target)),
            .startSeekDeadline(id),
        ]
        if landingSinks.isEmpty { actions += land() }
        return (id, actions)
    }

    mutating func landed(_ node: String, _ landedEpoch: Epoch, _ time: Timestamp?) -> [Action] {
        guard landedEpoch == epoch, var pending = seek, pending.waiting.remove(node) != nil else { return [] }
        if let time { pending.earliest = min(pending.earliest ?? time, time) }
        seek = pending
        return pending.waiting.isEmpty ? land() : []
    }

    mutating func rejected(_ node: String, _ rejectedEpoch: Epoch, _ reason: String) -> [Action] {
        guard rejectedEpoch == epoch, let pending = seek else { return [] }
        rejections.insert(node)
        seek = nil
        var actions: [Action] = pending.late ? [] : [.resolve(pending.id, .rejected(reason))]
        if case .seeking = phase { actions += move(to: .running) }
        return actions
    }

    mutating func deadlinePassed(_ id: SeekID) -> [Action] {
        guard var pending = seek, pending.id == id, !pending.late else { return [] }
        pending.late = true
        seek = pending
        var actions: [Action] = [.resolve(id, .stalled)]
        if case .seeking = phase { actions += move(to: .running) }
        return actions
    }

    mutating func sinkEnded(_ node: String, _ endedEpoch: Epoch, _ reason: EndReason) -> [Action] {
        guard endedEpoch == epoch, unended.remove(node) != nil, unended.isEmpty, !phase.isOver else { return [] }
        var actions: [Action] = []
        if case .truncated(let message) = reason { actions.append(.emit(.truncated(message))) }
        return actions + drained()
    }

    mutating func drain() -> [Action] {
        drainRequested = true
        switch phase {
        case .running, .seeking:
            var actions: [Action] = []
            if let pending = seek, !pending.late {
                actions.append(.resolve(pending.id, .superseded))
                seek = nil
            }
            return actions + move(to: .draining) + [.postFinish]
        case .drained: return drained()
        case .idle, .starting, .draining: return []
        case .failed, .cancelled, .abandoned: return [.drainFinished]
        }
    }

    /// Moves to a state that ends everything; the first such state stays.
    mutating func stop(_ final: RunnerPhase) -> [Action] {
        // A graph that has drained and closes is neither failed nor cancelled any more.
        guard !phase.isOver, !closed else { return [] }
        var actions: [Action] = []
        if let pending = seek, !pending.late {
            actions.append(.resolve(pending.id, .rejected("the graph has stopped")))
        }
        seek = nil
        return actions + move(to: final) + close()
    }

    /// Some node did not return in time; the run is over all the same.
    mutating func abandon() -> [Action] {
        guard phase != .abandoned else { return [] }
        return stop(.abandoned) + move(to: .abandoned)
    }

    /// A group that is not waited for any more: its sinks neither land nor end.
    mutating func leave(_ nodes: Set<String>) -> [Action] {
        var actions: [Action] = []
        landingSinks.subtract(nodes)
        sinks.subtract(nodes)
        // Nobody is left to send to.
        if sinks.isEmpty { return stop(.failed) }
        if var pending = seek {
            pending.waiting.subtract(nodes)
            seek = pending
            if pending.waiting.isEmpty { actions += land() }
        }
        let before = unended
        unended.subtract(nodes)
        if !before.isEmpty, unended.isEmpty, !phase.isOver {
            actions += drained()
        }
        return actions
    }

    /// After the last group.
    mutating func finish() -> [Action] { stop(.cancelled) + [.finishRun] }

    private mutating func drained() -> [Action] {
        move(to: .drained) + (drainRequested || !staysAlive ? close() : [])
    }

    private mutating func close() -> [Action] {
        guard !closed else { return [.drainFinished] }
        closed = true
        return [.drainFinished, .closeChannels]
    }

    private mutating func land() -> [Action] {
        guard let pending = seek else { return [] }
        seek = nil
        if pending.late { return [.emit(.lateLanding(pending.id, pending.earliest))] }
        var actions: [Action] = [.resolve(pending.id, .landed(pending.earliest))]
        if case .seeking = phase { actions += move(to: .running) }
        return actions
    }

    private mutating func move(to next: RunnerPhase) -> [Action] {
        guard phase != next else { return [] }
        phase = next
        return [.emit(.phase(next))]
    }
}
