import SluiceCore

extension GraphDecoder {
    mutating func selection(_ node: JSONNode) -> SelectionRule? {
        guard let members = object(node, "select", known: ["shape", "priority", "when"], required: ["shape"]) else {
            return nil
        }
        return SelectionRule(
            location: node.location, shape: string(members["shape"], "select"),
            priority: integer(members["priority"], "select"),
            conditions: members["when"].map { conditions($0.value, "select.when") } ?? [])
    }

    mutating func conditions(_ node: JSONNode, _ path: String) -> [GraphCondition] {
        (array(node, path) ?? []).enumerated().compactMap { condition($1, "\(path)[\($0)]") }
    }

    private mutating func condition(_ node: JSONNode, _ path: String) -> GraphCondition? {
        guard let members = object(node, path, known: ["field", "equals", "in"], required: ["field"]) else {
            return nil
        }
        let name = string(members["field"], path)
        let field = name.flatMap { RouteField(rawValue: $0.value) }
        if let name, field == nil {
            let names = RouteField.allCases.map(\.rawValue)
            report(
                .unresolvedReference, at: name.location, "\(path).field",
                "no field '\(name.value.prefix(80))'; conditions test \(names.joined(separator: ", "))",
                hint: Suggestion.nearest(to: name.value, among: names))
        }
        var values: [JSONNode]
        switch (members["equals"], members["in"]) {
        case (let single?, nil): values = [single.value]
        case (nil, let several?):
            values = array(several.value, "\(path).in") ?? []
            if case .array([]) = several.value.content {
                report(.optionRange, at: several.value.location, "\(path).in", "an empty list never matches")
            }
        case (nil, nil):
            report(.missingKey, at: node.location, "\(path).equals", "'\(path)' lacks 'equals' or 'in'")
            return nil
        case (.some, let several?):
            report(.unknownKey, at: several.key.location, "\(path).in", "a condition has 'equals' or 'in', not both")
            return nil
        }
        guard let field else { return nil }
        let allowed = values.compactMap { value($0, of: field, path) }
        return allowed.isEmpty || allowed.count < values.count
            ? nil : GraphCondition(location: node.location, field: field, allowed: allowed)
    }

    private mutating func value(_ node: JSONNode, of field: RouteField, _ path: String) -> String? {
        switch (node.content, field.isBoolean) {
        case (.boolean(let value), true): return "\(value)"
        case (.string(let text), false):
            if field.values.contains(text) { return text }
            report(
                .optionRange, at: node.location, path,
                "'\(field.rawValue)' is never '\(text.prefix(80))'; expected \(field.values.joined(separator: ", "))",
                hint: Suggestion.nearest(to: text, among: field.values))
            return nil
        default:
            wrongType(node, path, expected: field.isBoolean ? "boolean" : "string")
            return nil
        }
    }
}
