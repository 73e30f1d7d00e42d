import SluiceCore
import SluiceDataflow

/// What `${name}` can mean: the graph's own options and facts about the source.
struct ReferenceScope {
    /// Types of the facts about the source that references may name.
    static let sourceTypes = ["source.url": "string", "source.isLive": "boolean", "source.isByteStream": "boolean"]

    /// Type names by reference; nil for options whose declaration is broken.
    var types: [String: String?] = [:]
    /// What is known already.
    var values: [String: OptionValue] = [:]
    /// Whether a reference without a value is an error, as when a graph is about to run.
    var isComplete = false

    /// The scope of `file` before anything is set: defaults count as values for checks.
    init(_ file: GraphFile) {
        for (name, type) in Self.sourceTypes { types[name] = .some(type) }
        for option in file.options {
            types[option.name.value] = .some(option.descriptor?.kind.typeName)
            values[option.name.value] = option.descriptor?.defaultValue
        }
    }

    enum Outcome {
        case value(OptionValue)
        /// It will have a value when the graph is planned.
        case later
        case failure(OptionReader.Problem)
    }

    /// The value of `node` for an option of `kind`, references replaced.
    func resolve(_ node: JSONNode, as kind: OptionDescriptor.Kind) -> Outcome {
        switch (node.content, kind) {
        case (.string(let text), _):
            let parsed = ReferenceText(text)
            return parsed.hasReferences ? resolve(parsed, text, as: kind) : read(node, as: kind)
        case (.array(let elements), .stringList): return list(elements, node, as: kind)
        default: return read(node, as: kind)
        }
    }

    private func read(_ node: JSONNode, as kind: OptionDescriptor.Kind) -> Outcome {
        switch OptionReader.read(node, as: kind) {
        case .success(let value): .value(value)
        case .failure(let problem): .failure(problem)
        }
    }

    private func list(_ elements: [JSONNode], _ node: JSONNode, as kind: OptionDescriptor.Kind) -> Outcome {
        var strings: [String] = []
        var isLate = false
        for element in elements {
            guard case .string(let text) = element.content, ReferenceText(text).hasReferences else {
                if case .string(let text) = element.content {
                    strings.append(text)
                } else {
                    return read(node, as: kind)
                }
                continue
            }
            switch resolve(ReferenceText(text), text, as: .string()) {
            case .value(let value): strings.append(value.description)
            case .later: isLate = true
            case .failure(let problem): return .failure(problem)
            }
        }
        return isLate ? .later : checked(.stringList(strings), as: kind)
    }

    private func resolve(_ parsed: ReferenceText, _ text: String, as kind: OptionDescriptor.Kind) -> Outcome {
        if parsed.isUnclosed {
            return .failure(unresolved("'\(text.prefix(80))' has '${' without '}'"))
        }
        if let name = parsed.whole {
            switch lookUp(name) {
            case .success(let type):
                if let type, !OptionReader.accepts(kind, typeName: type) {
                    let message = "'${\(name)}' is of type \(type); expected \(OptionReader.expected(kind))"
                    return .failure(OptionReader.Problem(code: .optionType, message: message))
                }
            case .failure(let problem): return .failure(problem)
            }
            guard let value = values[name] else { return missing(name) }
            return checked(OptionReader.widened(value, for: kind), as: kind)
        }
        guard OptionReader.accepts(kind, typeName: "string") else {
            let message = "'\(text.prefix(80))' is text; expected \(OptionReader.expected(kind)) or one reference"
            return .failure(OptionReader.Problem(code: .optionType, message: message))
        }
        return joined(parsed, as: kind)
    }

    private func joined(_ parsed: ReferenceText, as kind: OptionDescriptor.Kind) -> Outcome {
        var result = ""
        var isLate = false
        for piece in parsed.pieces {
            switch piece {
            case .literal(let text): result += text
            case .reference(let name):
                if case .failure(let problem) = lookUp(name) { return .failure(problem) }
                if let value = values[name] {
                    result += value.description
                } else if case .failure(let problem) = missing(name) {
                    return .failure(problem)
                } else {
                    isLate = true
                }
            }
        }
        return isLate ? .later : checked(.string(result), as: kind)
    }

    private func checked(_ value: OptionValue, as kind: OptionDescriptor.Kind) -> Outcome {
        switch OptionReader.check(value, as: kind) {
        case .success(let value): .value(value)
        case .failure(let problem): .failure(problem)
        }
    }

    private func lookUp(_ name: String) -> Result<String?, OptionReader.Problem> {
        if let type = types[name] { return .success(type) }
        let hint = Suggestion.nearest(to: name, among: types.keys)
        return .failure(unresolved("nothing is named '\(name.prefix(80))'", hint: hint))
    }

    private func missing(_ name: String) -> Outcome {
        isComplete ? .failure(unresolved("'\(name)' has no value")) : .later
    }

    private func unresolved(_ message: String, hint: String? = nil) -> OptionReader.Problem {
        OptionReader.Problem(code: .unresolvedReference, message: message, hint: hint)
    }
}
