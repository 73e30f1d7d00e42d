import SluiceCore
import SluiceDataflow

extension GraphPlan {
    /// Checks `file` and resolves it for one run.
    ///
    /// - Parameters:
    ///   - settings: values for the graph's own options as the command line writes them; findings about them have the
    ///     file name `--set`.
    ///   - facts: what `${source.url}` stands for and what the nodes' `when` is decided on.
    ///
    /// Throws every finding at once. Warnings alone do not throw.
    public init(
        file: GraphFile, catalog: NodeCatalog, settings: [String: String] = [:], facts: GraphFacts = GraphFacts()
    ) throws(GraphValidationError) {
        var planner = GraphPlanner(file: file, catalog: catalog, facts: facts)
        planner.apply(settings)
        let nodes = planner.nodes()
        let known = Set(planner.findings)
        // Findings that need values, such as a range that a setting leaves, are only seen while planning.
        let findings = planner.findings + file.validate(against: catalog).filter { !known.contains($0) }
        if findings.hasErrors { throw GraphValidationError(findings) }
        let remaining = nodes.filter { !planner.isLeftOut($0.name) }
        self.init(
            name: file.name?.value ?? "", summary: file.summary?.value ?? "", nodes: remaining,
            links: planner.links(nodes),
            groups: Dictionary(file.groups.map { ($0.name.value, $0.onFailure) }) { first, _ in first },
            memoryLimit: file.limits.memory?.value ?? GraphLimits.defaultMemory)
    }
}

/// The steps from a file to a plan.
struct GraphPlanner {
    let file: GraphFile
    let catalog: NodeCatalog
    let facts: GraphFacts
    private(set) var findings: [GraphDiagnostic] = []
    private var scope: ReferenceScope

    init(file: GraphFile, catalog: NodeCatalog, facts: GraphFacts) {
        self.file = file
        self.catalog = catalog
        self.facts = facts
        scope = ReferenceScope(file)
        scope.isComplete = true
        for (name, value) in facts.values { scope.values[name] = value }
    }

    /// Gives the graph's options the values of the command line.
    mutating func apply(_ settings: [String: String]) {
        for (name, text) in settings.sorted(by: { $0.key < $1.key }) {
            guard let option = file.options.first(where: { $0.name.value == name }) else {
                let hint = Suggestion.nearest(to: name, among: file.options.map(\.name.value))
                reportSetting(.unknownOption, name, "the graph has no option '\(name.prefix(80))'", hint)
                continue
            }
            guard let descriptor = option.descriptor else { continue }
            switch OptionReader.read(text: text, as: descriptor.kind) {
            case .success(let value): scope.values[name] = value
            case .failure(let problem):
                reportSetting(problem.code, name, "option '\(name)': \(problem.message)", problem.hint)
            }
        }
    }

    private mutating func reportSetting(
        _ code: GraphDiagnostic.Code, _ name: String, _ message: String, _ hint: String?
    ) {
        findings.append(GraphDiagnostic(code, at: .start(of: "--set"), path: name, message, hint: hint))
    }

    /// The nodes whose kind is known, with all values that could be resolved.
    mutating func nodes() -> [PlannedNode] {
        var nodes: [PlannedNode] = []
        for node in file.nodes {
            guard let descriptor = node.kind.flatMap({ catalog[$0.value] }) else { continue }
            var options: [String: OptionValue] = [:]
            for option in descriptor.options { options[option.name] = option.defaultValue }
            for member in node.options {
                let name = member.key.value
                guard let option = descriptor.option(name) else { continue }
                switch scope.resolve(member.value, as: option.kind) {
                case .value(let value): options[name] = value
                case .later: break
                case .failure(let problem):
                    findings.append(
                        GraphDiagnostic(
                            problem.code, at: member.value.location,
                            path: "nodes.\(node.name.value).options.\(name)",
                            "option '\(name)' of node '\(node.name.value)': \(problem.message)", hint: problem.hint))
                }
            }
            nodes.append(
                PlannedNode(
                    name: node.name.value, group: node.group?.value ?? GroupDeclaration.defaultName,
                    thread: node.thread?.value ?? .pool, options: options, descriptor: descriptor))
        }
        return nodes
    }

    /// Whether the node's `when` does not hold.
    func isLeftOut(_ name: String) -> Bool {
        guard let conditions = file.node(name)?.conditions else { return false }
        return !conditions.allSatisfy { $0.holds(facts.route) }
    }

    /// All links of a file without errors, joined through the filters that are left out.
    func links(_ nodes: [PlannedNode]) -> [PlannedLink] {
        var links: [PlannedLink] = file.links.compactMap { link in
            guard let from = link.from?.value, let to = link.to?.value,
                let port = nodes.first(where: { $0.name == from.node })?.descriptor.port(from.port)
            else { return nil }
            return PlannedLink(
                from: (from.node, from.port), to: (to.node, to.port), payload: port.payload,
                limits: file.limits(of: link), overflow: link.overflow)
        }
        for node in nodes where isLeftOut(node.name) {
            guard let incoming = links.firstIndex(where: { $0.toNode == node.name }),
                let outgoing = links.firstIndex(where: { $0.fromNode == node.name })
            else { continue }
            links[incoming] = links[incoming].joined(with: links[outgoing])
            links.remove(at: outgoing)
        }
        return links
    }
}
