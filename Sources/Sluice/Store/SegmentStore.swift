import SluiceCore

/// Finished segments, in memory first and then on disk, under one budget each for the whole server.
public final class SegmentStore: Sendable {
    struct Key: Sendable, Hashable {
        var title: String
        var segment: SegmentKey
    }

    private struct Entry {
        var chunks: [ByteChunk]
        var bytes: Int
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var clock: UInt64 = 0
        /// What left last was close before a viewer: production ahead of demand is wasted now.
        var isCrowded = false
    }

    public struct Counts: Sendable, Hashable {
        public var hits = 0
        public var diskHits = 0
        public var misses = 0
    }

    /// Bytes kept in memory.
    public let budget: Int
    let disk: SegmentDisk?
    private let positions: @Sendable () -> [String: [Int]]
    private let state = Locked(State())
    private let numbers = Locked(Counts())

    /// Evicting goes on until this part of the budget is free, so that not every segment sorts the store.
    private static let slack = 16
    /// Segments this close before a viewer will be asked for soon.
    private static let soon = 10

    /// - Parameters:
    ///   - budget: bytes kept in memory at most; one segment more while it is put in.
    ///   - positions: indices that viewers asked for last, by title.
    init(
        budget: Int, disk: SegmentDisk? = nil, positions: @escaping @Sendable () -> [String: [Int]] = { [:] }
    ) {
        self.budget = max(1, budget)
        self.disk = disk
        self.positions = positions
    }

    public var bytes: Int { state.withLock { $0.bytes } }
    public var count: Int { state.withLock { $0.entries.count } }
    public var diskBytes: Int64 { disk?.bytes ?? 0 }
    public var diskBudget: Int64 { disk?.budget ?? 0 }
    public var counts: Counts { numbers.withLock { $0 } }

    /// Whether segments that viewers are about to ask for do not fit any more.
    var isCrowded: Bool { state.withLock { $0.isCrowded } && !(disk?.isTaking ?? false) }

    func find(_ title: String, _ segment: SegmentKey) -> Response.Body? {
        let key = Key(title: title, segment: segment)
        let chunks: [ByteChunk]? = state.withLock { state in
            state.clock += 1
            state.entries[key]?.lastUse = state.clock
            return state.entries[key]?.chunks
        }
        if let chunks {
            numbers.withLock { $0.hits += 1 }
            return .chunks(chunks)
        }
        let found = disk?.find(key)
        numbers.withLock { numbers in
            if found == nil { numbers.misses += 1 } else { numbers.diskHits += 1 }
        }
        return found
    }

    func put(_ title: String, _ segment: SegmentKey, _ chunks: [ByteChunk]) {
        let key = Key(title: title, segment: segment)
        let bytes = chunks.byteTotal
        let isFull = state.withLock { state in
            state.clock += 1
            if let old = state.entries[key] { state.bytes -= old.bytes }
            state.entries[key] = Entry(chunks: chunks, bytes: bytes, lastUse: state.clock)
            state.bytes += bytes
            if state.bytes <= budget { state.isCrowded = false }
            return state.bytes > budget
        }
        if isFull { trim() }
    }

    /// Moves what a title holds in memory to the disk, or drops it: nobody watches any more. False where it holds nothing.
    func rest(title: String) -> Bool {
        let rule = EvictionRule(positions: positions())
        let dropped: [(Key, [ByteChunk])] = state.withLock { state in
            state.entries.keys.filter { $0.title == title }.compactMap { remove($0, &state) }
        }
        spill(dropped, rule)
        return !dropped.isEmpty
    }

    private func trim() {
        let rule = EvictionRule(positions: positions())
        let dropped: [(Key, [ByteChunk])] = state.withLock { state in
            guard state.bytes > budget else { return [] }
            let candidates = state.entries.map {
                EvictionRule.Candidate(key: $0.key, bytes: $0.value.bytes, lastUse: $0.value.lastUse)
            }
            let victims = rule.victims(candidates, excess: state.bytes - budget + budget / Self.slack)
            state.isCrowded = victims.contains { rule.distance($0.key) <= Self.soon }
            return victims.compactMap { remove($0.key, &state) }
        }
        spill(dropped, rule)
    }

    private func remove(_ key: Key, _ state: inout State) -> (Key, [ByteChunk])? {
        guard let entry = state.entries.removeValue(forKey: key) else { return nil }
        state.bytes -= entry.bytes
        return (key, entry.chunks)
    }

    /// Outside the lock: a segment holds hundreds of packets, whose memory is given back here.
    private func spill(_ dropped: [(Key, [ByteChunk])], _ rule: EvictionRule) {
        guard let disk else { return }
        for (key, chunks) in dropped { disk.keep(key, chunks, rule) }
    }
}
