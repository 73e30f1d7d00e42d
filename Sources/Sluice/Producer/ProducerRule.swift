import SluiceCore

/// Which producer makes a wanted segment. Pure.
struct ProducerRule: Sendable, Hashable {
    struct Candidate: Sendable, Hashable {
        var id: Int
        /// Index that it publishes next in the wanted rendition; nil while nothing is on its way.
        var next: Int?
        /// Requests that wait for it.
        var waits: Int
        /// Since a viewer last got something from it; nil where nobody has.
        var unused: Duration?
    }

    enum Decision: Sendable, Hashable {
        /// It comes to the segment by itself.
        case wait(Int)
        case move(Int)
        case start
        /// All producers are busy with others: the first that becomes free takes it.
        case queue
        /// There is no producer, and there may not be one.
        case refuse
    }

    var reach = ReachPolicy()
    /// Producers of one set.
    var limit = 2
    /// A producer that served nobody for this long has lost its viewer. Longer than a segment lasts.
    var patience = Duration.seconds(10)

    func decide(wanted: Int, among candidates: [Candidate], mayStart: Bool) -> Decision {
        let near = candidates.filter { reach.decide(wanted: wanted, next: $0.next) == .wait }
        if let nearest = near.max(by: { ($0.next ?? 0, $1.id) < ($1.next ?? 0, $0.id) }) { return .wait(nearest.id) }
        // The one whose viewer asked longest ago; nobody is taken away from those who wait.
        let free = candidates.filter { $0.waits == 0 }
        let idlest = free.max { left, right in
            guard let right = right.unused else { return left.unused != nil }
            return left.unused.map { $0 < right } ?? false
        }
        if let idlest, idlest.unused.map({ $0 >= patience }) ?? true { return .move(idlest.id) }
        if mayStart, candidates.count < limit { return .start }
        if let idlest { return .move(idlest.id) }
        return candidates.isEmpty ? .refuse : .queue
    }
}
