/// The graph that was chosen for a route, and why it and no other.
public struct GraphSelection: Sendable, CustomStringConvertible {
    /// A graph that was looked at.
    public struct Candidate: Sendable {
        public var name: String
        public var priority: Int
        /// The first condition that does not hold; nil when all do.
        public var failed: GraphCondition?
    }

    public var file: GraphFile
    /// Its `select`, whose conditions decided.
    public var rule: SelectionRule
    /// Every graph with a `select`, by file name.
    public var candidates: [Candidate]

    /// The conditions that decided.
    public var conditions: [GraphCondition] { rule.conditions }

    /// One line on the choice, then one for each graph that was passed over.
    public var description: String {
        let name = file.name?.value ?? ""
        let reasons = conditions.isEmpty ? "no conditions" : conditions.map(\.description).joined(separator: ", ")
        var lines = ["\(name) (priority \(rule.rank)): \(reasons)"]
        for candidate in candidates where candidate.name != name {
            let reason = candidate.failed.map { "not \($0)" } ?? "lower priority \(candidate.priority)"
            lines.append("  passed over \(candidate.name): \(reason)")
        }
        return lines.joined(separator: "\n")
    }
}
