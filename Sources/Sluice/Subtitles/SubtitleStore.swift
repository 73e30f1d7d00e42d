import SluiceBitstream
import SluiceCore
import SluiceNodes

/// The cues of a title's text tracks that were read so far, which stretches those are, and who waits for more.
final class SubtitleStore: SubtitleSink {
    enum Outcome: Sendable {
        case ready, expired
        case failed(NodeFailure)
    }

    private struct Want {
        var need: Range<Int64>
        var continuation: UnsafeContinuation<Outcome, Never>
    }

    private struct State {
        var shelves: [StreamID: TextShelf] = [:]
        /// Of the one bitmap stream that is read.
        var packets = PacketShelf()
        var ledger = CoverageLedger()
        var wants: [UInt64: Want] = [:]
        var lastWant: UInt64 = 0
        /// A thread reads, or is about to.
        var isReading = false
        /// End of what was asked for last; reading goes on a while behind it.
        var lastNeed: Range<Int64> = 0..<0
        var source: (any ByteSource)?
        var failures = 0
        var isStopped = false
    }

    /// Requests that may wait at one time.
    static let waitLimit = 128
    /// Failures after which the source is not opened again for subtitles.
    static let failureLimit = 8
    /// A want this far ahead of a reader is worth a move; milliseconds.
    private static let stride: Int64 = 90_000
    /// Bytes of the cues of all tracks.
    static let limit = 96 << 20

    let reach: SubtitleReach
    private let state = Locked(State())

    init(_ reach: SubtitleReach) { self.reach = reach }

    /// Whether a segment's cues are known.
    func covers(_ need: Range<Int64>) -> Bool { state.withLock { $0.ledger.covers(need) } }

    func cues(_ stream: StreamID, in range: Range<Int64>) -> [TextCue] {
        let floor = reach.need(range).lowerBound
        return state.withLock { $0.shelves[stream]?.cues(in: range, from: reach.carry == nil ? .min : floor) ?? [] }
    }

    /// Packets of the bitmap stream, by their times.
    func packets(in range: Range<Int64>) -> [StoredPacket] { state.withLock { $0.packets.packets(in: range) } }

    func all(_ stream: StreamID) -> [TextCue] { state.withLock { $0.shelves[stream]?.all ?? [] } }

    /// Cues for which there was no room, of all tracks.
    var dropped: Int { state.withLock { $0.shelves.values.reduce(0) { $0 + $1.dropped } } }

    // MARK: - Waiting

    /// Enters a want; whether a reader is to be started. Nil where too many wait already.
    func add(_ need: Range<Int64>, _ continuation: UnsafeContinuation<Outcome, Never>) -> (id: UInt64, starts: Bool)? {
        let entered: (outcome: Outcome?, id: UInt64, starts: Bool) = state.withLock { state in
            if state.ledger.covers(need) { return (.ready, 0, false) }
            if state.isStopped || state.wants.count >= Self.waitLimit { return (.expired, 0, false) }
            if state.failures >= Self.failureLimit {
                let text = "the source failed \(state.failures) times when it was read for subtitles"
                return (.failed(NodeFailure(.exhausted, text)), 0, false)
            }
            state.lastWant += 1
            state.lastNeed = need
            state.wants[state.lastWant] = Want(need: need, continuation: continuation)
            let starts = !state.isReading
            state.isReading = true
            return (nil, state.lastWant, starts)
        }
        if let outcome = entered.outcome {
            continuation.resume(returning: outcome)
            return nil
        }
        return (entered.id, entered.starts)
    }

    func giveUp(_ id: UInt64) {
        state.withLock { $0.wants.removeValue(forKey: id) }?.continuation.resume(returning: .expired)
    }

    /// Ends every wait and the reading.
    func stop() {
        let (wants, source): ([Want], (any ByteSource)?) = state.withLock { state in
            state.isStopped = true
            defer { state.wants = [:] }
            return (Array(state.wants.values), state.source)
        }
        source?.interrupt()
        for want in wants { want.continuation.resume(returning: .expired) }
    }

    // MARK: - Reading

    /// The source that is being read, so that it can be interrupted; false where nothing is to be read any more.
    func adopt(_ source: (any ByteSource)?) -> Bool {
        state.withLock { state in
            state.source = source
            return !state.isStopped
        }
    }

    /// The reader was not started, or could not go on: so say all who wait.
    func failed(_ failure: NodeFailure) {
        let wants: [Want] = state.withLock { state in
            state.isReading = false
            state.source = nil
            if ![.exhausted, .cancelled].contains(failure.code) { state.failures += 1 }
            defer { state.wants = [:] }
            return Array(state.wants.values)
        }
        for want in wants { want.continuation.resume(returning: .failed(failure)) }
    }

    func nextGoal() -> SubtitleReader.Goal? {
        state.withLock { state in
            guard !state.isStopped, let from = goal(state) else {
                // Whoever comes now starts another reader.
                state.isReading = false
                state.source = nil
                return nil
            }
            return SubtitleReader.Goal(from: from)
        }
    }

    private func goal(_ state: State) -> Int64? {
        if reach.carry == nil { return state.ledger.missing(in: 0..<Int64.max) }
        // The newest is what a viewer looks at.
        let newest = state.wants.max { $0.key < $1.key }
        return newest.flatMap { state.ledger.missing(in: $0.value.need) }
    }

    func take(_ cues: [SubtitleReader.Found], covered: Range<Int64>) -> Bool {
        let (wants, continues): ([Want], Bool) = state.withLock { state in
            for found in cues { insert(found, &state) }
            state.ledger.add(covered)
            for range in state.packets.trim(around: state.lastNeed) { state.ledger.remove(range) }
            state.failures = 0
            let ready = state.wants.filter { state.ledger.covers($0.value.need) }
            for id in ready.keys { state.wants[id] = nil }
            return (Array(ready.values), goesOn(covered, state))
        }
        for want in wants { want.continuation.resume(returning: .ready) }
        return continues
    }

    private func insert(_ found: SubtitleReader.Found, _ state: inout State) {
        let cue: TextCue
        switch found.item {
        case .cue(let text): cue = text
        case .packet(let packet): return state.packets.insert(packet)
        }
        let total = state.shelves.values.reduce(0) { $0 + $1.bytes }
        guard total < Self.limit else { return }
        state.shelves[found.stream, default: TextShelf()].insert(cue, position: found.position)
    }

    private func goesOn(_ covered: Range<Int64>, _ state: State) -> Bool {
        if state.isStopped { return false }
        if reach.carry == nil { return true }
        guard let newest = state.wants.max(by: { $0.key < $1.key })?.value.need else {
            return covered.upperBound < state.lastNeed.upperBound &+ SubtitleReach.ahead
        }
        guard let missing = state.ledger.missing(in: newest) else { return true }
        return missing >= covered.lowerBound && missing <= covered.upperBound &+ Self.stride
    }
}
