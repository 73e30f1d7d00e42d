import SluiceCore
import SluiceDataflow

/// Turns JSON into a ``GraphFile``, keeps what is usable and records what is not.
struct GraphDecoder {
    var findings: [GraphDiagnostic] = []

    mutating func report(
        _ code: GraphDiagnostic.Code, at location: SourceLocation, _ path: String, _ message: String,
        hint: String? = nil
    ) {
        findings.append(GraphDiagnostic(code, at: location, path: path, message, hint: hint))
    }

    mutating func wrongType(_ node: JSONNode, _ path: String, expected: String) {
        report(.wrongType, at: node.location, path, "'\(path)' is of type \(node.typeName); expected \(expected)")
    }

    // MARK: - Objects

    /// The members of an object that has only `known` keys and all `required` ones.
    mutating func object(
        _ node: JSONNode, _ path: String, known: [String], required: [String] = []
    ) -> [String: JSONMember]? {
        guard let members = members(node, path) else { return nil }
        var found: [String: JSONMember] = [:]
        for member in members {
            guard known.contains(member.key.value) else {
                let hint = Suggestion.nearest(to: member.key.value, among: known)
                let place = path.isEmpty ? "the graph" : "'\(path)'"
                report(
                    .unknownKey, at: member.key.location, join(path, member.key.value),
                    "\(place) has no key '\(member.key.value)'", hint: hint)
                continue
            }
            found[member.key.value] = member
        }
        for key in required where found[key] == nil {
            let place = path.isEmpty ? "the graph" : "'\(path)'"
            report(.missingKey, at: node.location, join(path, key), "\(place) lacks the key '\(key)'")
        }
        return found
    }

    /// The members of an object whose keys are names of the file's own.
    mutating func members(_ node: JSONNode, _ path: String) -> [JSONMember]? {
        guard case .object(let members) = node.content else {
            wrongType(node, path.isEmpty ? "graph" : path, expected: "object")
            return nil
        }
        return members
    }

    mutating func array(_ node: JSONNode, _ path: String) -> [JSONNode]? {
        guard case .array(let elements) = node.content else {
            wrongType(node, path, expected: "array")
            return nil
        }
        return elements
    }

    /// Whether `name` can be the name of a node, group or option: a letter, then letters, digits, `-` and `_`.
    mutating func isName(_ name: Located<String>, _ path: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }
        let bytes = Array(name.value.utf8)
        let isFine =
            bytes.count <= 64 && bytes.first.map(isLetter) ?? false
            && bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F }
        if !isFine {
            report(
                .wrongType, at: name.location, path,
                "'\(name.value.prefix(80))' is not a name; expected a letter, then letters, digits, '-' or '_', at most 64"
            )
        }
        return isFine
    }

    // MARK: - Values

    mutating func string(_ member: JSONMember?, _ path: String) -> Located<String>? {
        guard let member else { return nil }
        let path = join(path, member.key.value)
        guard case .string(let text) = member.value.content else {
            wrongType(member.value, path, expected: "string")
            return nil
        }
        return Located(text, at: member.value.location)
    }

    mutating func integer(_ member: JSONMember?, _ path: String) -> Located<Int>? {
        guard let member else { return nil }
        guard case .integer(let value) = member.value.content else {
            wrongType(member.value, join(path, member.key.value), expected: "integer")
            return nil
        }
        return Located(value, at: member.value.location)
    }

    mutating func byteSize(_ member: JSONMember?, _ path: String) -> Located<Int>? {
        guard let member else { return nil }
        let value: Int? =
            switch member.value.content {
            case .integer(let bytes): bytes
            case .string(let text): Units.byteSize(text)
            default: nil
            }
        guard let value else {
            malformed(member.value, join(path, member.key.value), expected: "a size such as \"10MiB\"")
            return nil
        }
        return Located(value, at: member.value.location)
    }

    mutating func duration(_ member: JSONMember?, _ path: String) -> Located<Duration>? {
        guard let member else { return nil }
        guard case .string(let text) = member.value.content, let value = Units.duration(text) else {
            malformed(member.value, join(path, member.key.value), expected: "a duration such as \"2s\"")
            return nil
        }
        return Located(value, at: member.value.location)
    }

    /// A string that is the raw value of one of `Choice`'s cases.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ member: JSONMember?, _ path: String, as type: Choice.Type
    ) -> Located<Choice>? {
        guard let text = string(member, path) else { return nil }
        if let value = Choice(rawValue: text.value) { return Located(value, at: text.location) }
        let names = Choice.allCases.map(\.rawValue)
        report(
            .wrongType, at: text.location, join(path, member?.key.value ?? ""),
            "'\(text.value)' is none of \(names.joined(separator: ", "))",
            hint: Suggestion.nearest(to: text.value, among: names))
        return nil
    }

    private mutating func malformed(_ node: JSONNode, _ path: String, expected: String) {
        guard case .string(let text) = node.content else { return wrongType(node, path, expected: expected) }
        if let limit = OptionReader.limit(
            text, expected.contains("duration") ? .duration(.zero ... .zero) : .byteSize(0...0))
        {
            return report(
                .wrongType, at: node.location, path, "'\(text.prefix(80))' is too large; expected at most \(limit)")
        }
        report(.wrongType, at: node.location, path, "'\(text.prefix(80))' is not \(expected)")
    }

    func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}
