import SluiceCore

/// Open requests for files that are not there yet. Pure bookkeeping; the producer acts on it.
struct WantTable {
    struct Want {
        var key: SegmentKey
        var continuation: UnsafeContinuation<[ByteChunk]?, Never>
        /// Times that a run ended without it.
        var misses = 0
    }

    private(set) var wants: [UInt64: Want] = [:]

    var isEmpty: Bool { wants.isEmpty }
    var count: Int { wants.count }

    /// Indices of the media segments that somebody waits for.
    var indices: [Int] {
        wants.values.compactMap { want in
            if case .media(let index) = want.key.role { index } else { nil }
        }
    }

    mutating func add(_ id: UInt64, _ want: Want) { wants[id] = want }

    mutating func remove(_ id: UInt64) -> Want? { wants.removeValue(forKey: id) }

    /// Takes out everybody who waits for `key`.
    mutating func take(_ key: SegmentKey) -> [Want] {
        let ids = wants.filter { $0.value.key == key }.map(\.key)
        return ids.compactMap { wants.removeValue(forKey: $0) }
    }

    /// After a run that ended: takes out whoever has missed `limit` times, and counts a miss for the others.
    mutating func takeMissed(limit: Int) -> [Want] {
        var missed: [Want] = []
        for (id, want) in wants {
            wants[id]?.misses += 1
            if want.misses + 1 >= limit, let taken = wants.removeValue(forKey: id) { missed.append(taken) }
        }
        return missed
    }

    mutating func takeAll() -> [Want] {
        defer { wants = [:] }
        return Array(wants.values)
    }
}
