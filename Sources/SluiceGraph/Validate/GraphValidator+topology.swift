import SluiceCore
import SluiceDataflow

extension GraphValidator {
    /// Something is drained, everything is fed, nothing goes round, and forks that meet again are buffered.
    mutating func checkTopology() {
        if !descriptors.contains(where: { $0?.isSink ?? true }) {
            report(
                .noSink, at: file.nodesLocation, "nodes",
                "no node consumes what the graph makes; at least one must have no outputs")
        }
        checkReachability()
        let cycles = closingLinks()
        for link in cycles {
            guard let from = link.declaration.from, let to = link.declaration.to else { continue }
            report(
                .cycle, at: from.location, "links[\(link.declaration.index)]",
                "'\(from.value)' to '\(to.value)' closes a cycle")
        }
        if cycles.isEmpty { checkDiamonds() }
    }

    /// A node counts as reached from nodes without inputs; ends that are already in doubt count as reached.
    private mutating func checkReachability() {
        var reached = descriptors.map { $0?.inputs.isEmpty ?? true }
        for link in links {
            if link.from == nil, let node = link.to?.node { reached[node] = true }
        }
        var changed = true
        while changed {
            changed = false
            for link in links {
                guard let from = link.from?.node, let to = link.to?.node, reached[from], !reached[to] else { continue }
                reached[to] = true
                changed = true
            }
        }
        for (node, isReached) in reached.enumerated() where !isReached {
            // A node without its required input is already reported.
            let isReported = findings.contains {
                $0.code == .unlinkedRequiredPort && $0.location == file.nodes[node].name.location
            }
            let isSuspect = links.contains { $0.to == nil }
            guard !isReported, !isSuspect else { continue }
            report(
                .unreachableNode, at: file.nodes[node].name.location, "nodes.\(name(node))",
                "nothing reaches node '\(name(node))'; no path leads to it from a node without inputs")
        }
    }

    /// One link for each cycle that a depth-first walk in file order comes upon.
    private func closingLinks() -> [Resolved] {
        enum Mark { case new, open, done }
        var marks = [Mark](repeating: .new, count: file.nodes.count)
        var closing: [Resolved] = []
        var outgoing = [[Resolved]](repeating: [], count: file.nodes.count)
        for link in links {
            if let from = link.from?.node, link.to != nil { outgoing[from].append(link) }
        }
        // At most `GraphFile.maximumNodes` deep.
        func visit(_ node: Int) {
            marks[node] = .open
            for link in outgoing[node] {
                guard let next = link.to?.node else { continue }
                switch marks[next] {
                case .new: visit(next)
                case .open: closing.append(link)
                case .done: break
                }
            }
            marks[node] = .done
        }
        for node in marks.indices where marks[node] == .new { visit(node) }
        return closing
    }

    private mutating func checkDiamonds() {
        let edges: [DiamondRule.Edge] = links.compactMap { link in
            guard let from = link.from, let to = link.to, let payload = from.port?.payload, to.port != nil,
                payload != .bytes, link.declaration.overflow == .suspend
            else { return nil }
            let span = file.limits(of: link.declaration).span ?? .seconds(1)
            return DiamondRule.Edge(from: from.node, to: to.node, span: span, link: link.declaration.index)
        }
        let rule = DiamondRule(
            edges: edges, lookAhead: descriptors.map { $0?.lookAhead ?? .zero },
            isMerger: descriptors.map { ($0?.mergeSkew ?? .zero) > .zero })
        for finding in rule.violations() {
            guard let link = links.first(where: { $0.declaration.index == finding.link }),
                let place = link.declaration.to
            else { continue }
            let start = "two blocking paths from '\(name(finding.fork))' meet again at '\(name(finding.join))', "
            let reason =
                if let numbers = finding.shortage {
                    "one buffers \(Units.text(numbers.span)) while the other lags by up to "
                        + "\(Units.text(numbers.lookAhead)); a larger span or \"overflow\" on one of them helps"
                } else {
                    "which waits for neither; let one drop (\"overflow\") or join them in a merger"
                }
            report(.unbufferedDiamond, at: place.location, "links[\(finding.link)].to", start + reason)
        }
    }
}
