import SluiceCore

/// Graphs that may run at one time in the whole server.
final class ProducerBudget: Sendable {
    private struct Member {
        weak var table: ProducerTable?
    }

    private struct State {
        var used = 0
        var members: [Member] = []
    }

    let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = max(1, limit) }

    var used: Int { state.withLock { $0.used } }

    /// True where one more may run; an idle one of another title is stopped for it.
    func take(for table: ProducerTable) -> Bool {
        let (isFree, others): (Bool, [ProducerTable]) = state.withLock { state in
            state.members.removeAll { $0.table == nil }
            if !state.members.contains(where: { $0.table === table }) { state.members.append(Member(table: table)) }
            if state.used < limit {
                state.used += 1
                return (true, [])
            }
            return (false, state.members.compactMap(\.table).filter { $0 !== table })
        }
        // Its permit goes from hand to hand.
        return isFree || others.contains { $0.surrender() }
    }

    func give() { state.withLock { $0.used = max(0, $0.used - 1) } }
}
