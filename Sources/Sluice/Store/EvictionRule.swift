import SluiceCore

/// Which segments leave a full store first: those far from every viewer, and of those the ones used longest ago. Pure.
struct EvictionRule: Sendable, Hashable {
    struct Candidate: Sendable, Hashable {
        var key: SegmentStore.Key
        var bytes: Int
        /// Grows with every use.
        var lastUse: UInt64
    }

    /// Indices that viewers asked for last, by title.
    var positions: [String: [Int]] = [:]

    /// What lies behind a viewer is this many times less likely to be asked for than what lies before it.
    private static let regret = 4

    /// Segments between the nearest viewer and this one; `Int.max` where the title has no viewer.
    func distance(_ key: SegmentStore.Key) -> Int {
        guard case .media(let index) = key.segment.role else { return .max }
        return positions[key.title]?.reduce(Int.max) { nearest, position in
            min(nearest, index >= position ? index - position : (position - index) &* Self.regret)
        } ?? .max
    }

    /// Enough candidates to free `excess` bytes, in the order in which they should leave.
    func victims(_ candidates: [Candidate], excess: Int) -> [Candidate] {
        let ranked = candidates.map { ($0, distance($0.key)) }
            .sorted { ($1.1, $0.0.lastUse) < ($0.1, $1.0.lastUse) }
        var freed = 0
        var list: [Candidate] = []
        for (candidate, _) in ranked {
            guard freed < excess else { break }
            freed += candidate.bytes
            list.append(candidate)
        }
        return list
    }
}
