import Glibc
import SluiceDataflow

extension GraphFile {
    /// The graph in `bytes`, with everything that could be used; nil only where the text is not a JSON object.
    ///
    /// The findings are also in ``findings``, so a validator needs nothing but the file. Any bytes may be passed.
    public static func decode(_ bytes: [UInt8], file: String) -> (GraphFile?, [GraphDiagnostic]) {
        let (root, findings) = JSONDocument.parse(bytes, file: file)
        guard let root else { return (nil, findings) }
        var decoder = GraphDecoder(findings: findings)
        let graph = decoder.graph(root, file: file)
        return (graph, decoder.findings.sortedByLocation())
    }

    /// Reads and decodes the file at `path`; findings about its contents are in ``findings``.
    ///
    /// Throws where it cannot be read or is not a JSON object.
    public static func load(path: String) throws(GraphValidationError) -> GraphFile {
        guard let bytes = TextFile.read(path, maximumBytes: JSONDocument.maximumBytes + 1) else {
            let reason = String(cString: strerror(errno))
            throw GraphValidationError([
                GraphDiagnostic(.unreadable, at: nil, "graph file '\(path)' cannot be read: \(reason)")
            ])
        }
        let (graph, findings) = decode(bytes, file: path)
        guard let graph else { throw GraphValidationError(findings) }
        return graph
    }
}

extension GraphDecoder {
    mutating func graph(_ root: JSONNode, file: String) -> GraphFile? {
        let keys = ["schema", "name", "summary", "select", "options", "limits", "groups", "nodes", "links"]
        guard let members = object(root, "", known: keys, required: ["schema", "name", "nodes", "links"]) else {
            return nil
        }
        var graph = GraphFile(file: file, location: root.location)
        if let schema = string(members["schema"], ""), schema.value != GraphFile.schema {
            report(
                .unknownSchema, at: schema.location, "schema",
                "schema '\(schema.value.prefix(80))' is not known; this version reads '\(GraphFile.schema)'",
                hint: GraphFile.schema)
        }
        if let name = string(members["name"], ""), isName(name, "name") { graph.name = name }
        graph.summary = string(members["summary"], "")
        graph.select = members["select"].flatMap { selection($0.value) }
        graph.options = members["options"].map { options($0.value) } ?? []
        graph.limits = members["limits"].map { limits($0.value) } ?? GraphLimits()
        graph.groups = members["groups"].map { groups($0.value) } ?? []
        if let nodes = members["nodes"] {
            graph.nodesLocation = nodes.key.location
            graph.nodes = self.nodes(nodes.value)
        }
        graph.links = members["links"].map { links($0.value) } ?? []
        graph.findings = findings
        return graph
    }

    private mutating func limits(_ node: JSONNode) -> GraphLimits {
        var limits = GraphLimits()
        guard let members = object(node, "limits", known: ["memory", "channel"]) else { return limits }
        limits.memory = byteSize(members["memory"], "limits")
        if let channel = members["channel"] { limits.channel = linkLimits(channel.value, "limits.channel") }
        return limits
    }

    private mutating func linkLimits(_ node: JSONNode, _ path: String) -> LinkLimits {
        var limits = LinkLimits()
        guard let members = object(node, path, known: ["bytes", "span", "items"]) else { return limits }
        limits.bytes = byteSize(members["bytes"], path)
        limits.span = duration(members["span"], path)
        limits.items = integer(members["items"], path)
        return limits
    }

    private mutating func groups(_ node: JSONNode) -> [GroupDeclaration] {
        (members(node, "groups") ?? []).compactMap { member in
            let path = "groups.\(member.key.value)"
            guard isName(member.key, path), let members = object(member.value, path, known: ["onFailure"]) else {
                return nil
            }
            let policy = choice(members["onFailure"], path, as: FailurePolicy.self)
            return GroupDeclaration(name: member.key, onFailure: policy?.value ?? .failGraph)
        }
    }

    private mutating func nodes(_ node: JSONNode) -> [NodeDeclaration] {
        guard var members = members(node, "nodes") else { return [] }
        if members.count > GraphFile.maximumNodes {
            let message = "\(members.count) nodes; at most \(GraphFile.maximumNodes) are allowed"
            report(.wrongType, at: node.location, "nodes", message)
            members.removeLast(members.count - GraphFile.maximumNodes)
        }
        return members.compactMap { self.node($0) }
    }

    private mutating func node(_ member: JSONMember) -> NodeDeclaration? {
        let path = "nodes.\(member.key.value)"
        let keys = ["kind", "group", "thread", "options", "when"]
        guard isName(member.key, path), let members = object(member.value, path, known: keys, required: ["kind"])
        else { return nil }
        return NodeDeclaration(
            name: member.key, kind: string(members["kind"], path), group: string(members["group"], path),
            thread: choice(members["thread"], path, as: ThreadPlacement.self),
            options: members["options"].flatMap { self.members($0.value, "\(path).options") } ?? [],
            conditions: members["when"].map { conditions($0.value, "\(path).when") },
            conditionsLocation: members["when"]?.key.location)
    }

    private mutating func links(_ node: JSONNode) -> [LinkDeclaration] {
        guard var elements = array(node, "links") else { return [] }
        if elements.count > GraphFile.maximumLinks {
            let message = "\(elements.count) links; at most \(GraphFile.maximumLinks) are allowed"
            report(.wrongType, at: node.location, "links", message)
            elements.removeLast(elements.count - GraphFile.maximumLinks)
        }
        return elements.enumerated().compactMap { link($1, index: $0) }
    }

    private mutating func link(_ node: JSONNode, index: Int) -> LinkDeclaration? {
        let path = "links[\(index)]"
        let keys = ["from", "to", "limits", "overflow"]
        guard let members = object(node, path, known: keys, required: ["from", "to"]) else { return nil }
        return LinkDeclaration(
            location: node.location, index: index, from: end(members["from"], path), to: end(members["to"], path),
            limits: members["limits"].map { linkLimits($0.value, "\(path).limits") } ?? LinkLimits(),
            overflow: choice(members["overflow"], path, as: OverflowPolicy.self)?.value ?? .suspend)
    }

    private mutating func end(_ member: JSONMember?, _ path: String) -> Located<PortReference>? {
        guard let member, let text = string(member, path) else { return nil }
        guard let reference = PortReference(text.value) else {
            report(
                .wrongType, at: text.location, join(path, member.key.value),
                "'\(text.value.prefix(80))' is not a port; expected 'node.port'")
            return nil
        }
        return Located(reference, at: text.location)
    }
}
