/// Finds forks whose paths meet again without room for what one of them lags behind.
///
/// Of two paths that leave one node and meet again, one must be able to drop, or the join must be a merger and the
/// smallest span on each path must exceed the summed look-ahead of all nodes on the other. Else one path fills up while
/// the other still waits for input, and both stop.
///
/// Every pair of paths without a common inner node is covered without listing paths: a table over pairs of nodes keeps
/// the worst numbers so far, which takes nodes x links steps a fork.
struct DiamondRule {
    /// A link that blocks when full. Links that drop, and pull windows, are left out.
    struct Edge {
        var from: Int
        var to: Int
        var span: Duration
        /// Its position in the file.
        var link: Int
    }

    struct Violation: Equatable {
        var fork: Int
        var join: Int
        /// The last link of the path that is short, into the join.
        var link: Int
        /// Nil where the join is no merger.
        var shortage: Shortage?
    }

    struct Shortage: Equatable {
        /// Smallest bound on one path.
        var span: Duration
        /// Summed over the nodes of the other path.
        var lookAhead: Duration
    }

    let edges: [Edge]
    let lookAhead: [Duration]
    let isMerger: [Bool]
    private let outgoing: [[Edge]]
    /// In topological order, and the position of each in it.
    private let nodes: [Int]
    private let ranks: [Int]

    /// `edges` must not form a cycle.
    init(edges: [Edge], lookAhead: [Duration], isMerger: [Bool]) {
        self.edges = edges
        self.lookAhead = lookAhead
        self.isMerger = isMerger
        var outgoing = [[Edge]](repeating: [], count: lookAhead.count)
        for edge in edges { outgoing[edge.from].append(edge) }
        self.outgoing = outgoing
        nodes = Self.sorted(outgoing)
        var ranks = [Int](repeating: 0, count: lookAhead.count)
        for (rank, node) in nodes.enumerated() { ranks[node] = rank }
        self.ranks = ranks
    }

    /// At most one violation a fork and join, the worst.
    func violations() -> [Violation] {
        guard nodes.count == lookAhead.count else { return [] }
        return lookAhead.indices.filter { outgoing[$0].count > 1 }.flatMap { violations(from: $0) }
    }

    /// The worst that two paths from the fork to a pair of nodes can do, over all such paths.
    private struct Worst {
        /// Summed over the inner nodes of the long path: the most.
        var lookAhead: Duration
        /// A span on the short path and the look-ahead of the long one, where their difference is worst.
        var span: Duration
        var lookAheadAtSpan: Duration
        /// The last link of the short path.
        var link: Int

        var margin: Duration { span - lookAheadAtSpan }

        /// The short path goes on over `edge`, which may be its smallest bound.
        func extended(by edge: Edge) -> Worst {
            var next = self
            next.link = edge.link
            if edge.span - lookAhead < margin {
                next.span = edge.span
                next.lookAheadAtSpan = lookAhead
            }
            return next
        }

        /// The long path goes on through a node with `more` look-ahead.
        func lagging(by more: Duration) -> Worst {
            Worst(lookAhead: lookAhead + more, span: span, lookAheadAtSpan: lookAheadAtSpan + more, link: link)
        }

        mutating func merge(_ other: Worst) {
            lookAhead = max(lookAhead, other.lookAhead)
            guard other.margin < margin else { return }
            span = other.span
            lookAheadAtSpan = other.lookAheadAtSpan
            link = other.link
        }
    }

    private func violations(from fork: Int) -> [Violation] {
        let count = lookAhead.count
        // At [rank of the short path's end * count + rank of the long path's end].
        var table = [Worst?](repeating: nil, count: count * count)
        func arrive(_ short: Int, _ long: Int, _ state: Worst) {
            let cell = ranks[short] * count + ranks[long]
            if table[cell] == nil { table[cell] = state } else { table[cell]?.merge(state) }
        }
        for short in outgoing[fork] {
            for long in outgoing[fork] where long.link != short.link {
                let state = Worst(lookAhead: .zero, span: short.span, lookAheadAtSpan: .zero, link: short.link)
                arrive(short.to, long.to, state)
            }
        }
        var found: [Violation] = []
        for cell in table.indices {
            guard let state = table[cell] else { continue }
            let (short, long) = (nodes[cell / count], nodes[cell % count])
            // The path that is behind moves on, so no inner node is ever on both.
            if short == long {
                if let violation = violation(fork, join: short, state) { found.append(violation) }
            } else if ranks[short] < ranks[long] {
                for edge in outgoing[short] { arrive(edge.to, long, state.extended(by: edge)) }
            } else {
                for edge in outgoing[long] { arrive(short, edge.to, state.lagging(by: lookAhead[long])) }
            }
        }
        return found
    }

    private func violation(_ fork: Int, join: Int, _ worst: Worst) -> Violation? {
        guard isMerger[join] else { return Violation(fork: fork, join: join, link: worst.link) }
        guard worst.margin <= .zero else { return nil }
        let shortage = Shortage(span: worst.span, lookAhead: worst.lookAheadAtSpan)
        return Violation(fork: fork, join: join, link: worst.link, shortage: shortage)
    }

    /// All nodes so that every link leads to a later one.
    private static func sorted(_ outgoing: [[Edge]]) -> [Int] {
        var waiting = [Int](repeating: 0, count: outgoing.count)
        for edge in outgoing.joined() { waiting[edge.to] += 1 }
        var sorted = waiting.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < sorted.count {
            for edge in outgoing[sorted[next]] {
                waiting[edge.to] -= 1
                if waiting[edge.to] == 0 { sorted.append(edge.to) }
            }
            next += 1
        }
        return sorted
    }
}
