import SluiceCore
import SluiceDataflow

/// Checks a graph file against a catalog of node kinds, before anything runs. Every finding at once.
public struct GraphValidator {
    /// All findings about `file`, those of its decoding included, sorted by place.
    public static func findings(_ file: GraphFile, catalog: NodeCatalog) -> [GraphDiagnostic] {
        var validator = GraphValidator(file, catalog)
        validator.check()
        return (file.findings + validator.findings).sortedByLocation()
    }

    let file: GraphFile
    let catalog: NodeCatalog
    var findings: [GraphDiagnostic] = []
    /// By node name.
    let indexes: [String: Int]
    /// By node; nil where the kind is missing or unknown.
    let descriptors: [NodeDescriptor?]
    /// What each link joins, as far as its ends are known.
    var links: [Resolved] = []

    /// A link with its ends looked up.
    struct Resolved {
        var declaration: LinkDeclaration
        var from: End?
        var to: End?
    }

    /// A node and, where it exists and points the right way, its port.
    struct End {
        var node: Int
        var port: PortDescriptor?
    }

    init(_ file: GraphFile, _ catalog: NodeCatalog) {
        self.file = file
        self.catalog = catalog
        indexes = Dictionary(file.nodes.enumerated().map { ($1.name.value, $0) }) { first, _ in first }
        descriptors = file.nodes.map { node in node.kind.flatMap { catalog[$0.value] } }
    }

    mutating func check() {
        checkNodes()
        checkOptions()
        checkLinks()
        checkPorts()
        checkLimits()
        checkTopology()
        checkConditions()
    }

    mutating func report(
        _ code: GraphDiagnostic.Code, at location: SourceLocation, _ path: String, _ message: String,
        hint: String? = nil
    ) {
        findings.append(GraphDiagnostic(code, at: location, path: path, message, hint: hint))
    }

    func name(_ node: Int) -> String { file.nodes[node].name.value }

    // MARK: - Nodes

    private mutating func checkNodes() {
        let groups = file.groups.map(\.name.value)
        for (node, descriptor) in zip(file.nodes, descriptors) {
            let path = "nodes.\(node.name.value)"
            if let kind = node.kind, descriptor == nil {
                report(
                    .unknownKind, at: kind.location, "\(path).kind", "no node kind '\(kind.value.prefix(80))'",
                    hint: Suggestion.nearest(to: kind.value, among: catalog.kinds))
            }
            if let group = node.group, !groups.contains(group.value) {
                report(
                    .unknownGroup, at: group.location, "\(path).group", "no group '\(group.value.prefix(80))'",
                    hint: Suggestion.nearest(to: group.value, among: groups))
            }
            if let descriptor, descriptor.mayBlock, node.thread?.value != .dedicated {
                report(
                    .blockingOnPool, at: node.thread?.location ?? node.name.location, "\(path).thread",
                    "kind '\(descriptor.kind)' may block; node '\(node.name.value)' needs \"thread\": \"dedicated\"")
            }
        }
    }

    private mutating func checkOptions() {
        let scope = ReferenceScope(file)
        checkSettings()
        for (node, descriptor) in zip(file.nodes, descriptors) {
            guard let descriptor else { continue }
            let path = "nodes.\(node.name.value).options"
            for member in node.options {
                let name = member.key.value
                guard let option = descriptor.option(name) else {
                    report(
                        .unknownOption, at: member.key.location, "\(path).\(name)",
                        "kind '\(descriptor.kind)' has no option '\(name.prefix(80))'",
                        hint: Suggestion.nearest(to: name, among: descriptor.options.map(\.name)))
                    continue
                }
                if case .failure(let problem) = scope.resolve(member.value, as: option.kind) {
                    report(
                        problem.code, at: member.value.location, "\(path).\(name)",
                        "option '\(name)' of node '\(node.name.value)': \(problem.message)", hint: problem.hint)
                }
            }
            for option in descriptor.options where option.defaultValue == nil {
                if !node.options.contains(where: { $0.key.value == option.name }) {
                    report(
                        .missingKey, at: node.name.location, "\(path).\(option.name)",
                        "node '\(node.name.value)' needs option '\(option.name)': \(option.summary)")
                }
            }
        }
    }

    /// Options that every run has to set, because a node needs them.
    private mutating func checkSettings() {
        let texts = file.nodes.flatMap { node in node.options.flatMap { Self.texts($0.value) } }
        let used = Set(texts.flatMap { ReferenceText($0).names })
        for option in file.options where used.contains(option.name.value) {
            guard let descriptor = option.descriptor, descriptor.defaultValue == nil else { continue }
            findings.append(
                GraphDiagnostic(
                    .unresolvedReference, at: option.name.location, path: "options.\(option.name.value)",
                    "option '\(option.name.value)' has no default: a run must set it", severity: .warning))
        }
    }

    private static func texts(_ node: JSONNode) -> [String] {
        switch node.content {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(texts)
        default: []
        }
    }

    // MARK: - Conditions

    /// Only a filter that the payload can go around may be absent: one input and one output of one payload, both linked.
    private mutating func checkConditions() {
        for (index, node) in file.nodes.enumerated() where node.conditions != nil {
            guard let descriptor = descriptors[index] else { continue }
            let incoming = links.count { $0.to?.node == index }
            let outgoing = links.count { $0.from?.node == index }
            let isInLine =
                descriptor.inputs.count == 1 && descriptor.outputs.count == 1 && incoming == 1 && outgoing == 1
                && descriptor.inputs[0].payload == descriptor.outputs[0].payload
            if !isInLine {
                report(
                    .conditionOnRequiredNode, at: node.conditionsLocation ?? node.name.location,
                    "nodes.\(node.name.value).when",
                    "node '\(node.name.value)' cannot be left out: only a filter with one linked input and one linked "
                        + "output of the same payload can")
            }
        }
    }
}

extension GraphFile {
    /// All findings about the file, sorted by place; see ``GraphValidator``.
    public func validate(against catalog: NodeCatalog) -> [GraphDiagnostic] {
        GraphValidator.findings(self, catalog: catalog)
    }
}
