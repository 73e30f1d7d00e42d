import SluiceCore
import SluiceDataflow

extension GraphDecoder {
    static let optionTypes = [
        "boolean", "integer", "real", "string", "choice", "duration", "byteSize", "stringList",
    ]

    mutating func options(_ node: JSONNode) -> [GraphOption] {
        (members(node, "options") ?? []).compactMap { member in
            let path = "options.\(member.key.value)"
            guard isName(member.key, path) else { return nil }
            return GraphOption(name: member.key, descriptor: option(member, path))
        }
    }

    private mutating func option(_ member: JSONMember, _ path: String) -> OptionDescriptor? {
        let keys = ["type", "default", "minimum", "maximum", "choices", "summary"]
        guard let members = object(member.value, path, known: keys, required: ["type"]),
            let type = string(members["type"], path)
        else { return nil }
        let summary = string(members["summary"], path)?.value ?? ""
        guard let kind = kind(type, members, path) else { return nil }
        let unchecked = OptionDescriptor(member.key.value, kind, summary)
        guard let given = members["default"] else { return unchecked }
        switch OptionReader.read(given.value, as: kind) {
        case .success(let value):
            return OptionDescriptor(member.key.value, kind, default: value, summary)
        case .failure(let problem):
            report(problem.code, at: given.value.location, "\(path).default", problem.message, hint: problem.hint)
            return unchecked
        }
    }

    private mutating func kind(
        _ type: Located<String>, _ members: [String: JSONMember], _ path: String
    ) -> OptionDescriptor.Kind? {
        let isOrdered = ["integer", "real", "duration", "byteSize"].contains(type.value)
        for key in ["minimum", "maximum"] where !isOrdered {
            if let member = members[key] {
                report(
                    .optionType, at: member.key.location, join(path, key), "type '\(type.value)' has no \(key)")
            }
        }
        if type.value != "choice", let member = members["choices"] {
            report(
                .optionType, at: member.key.location, join(path, "choices"), "type '\(type.value)' has no choices")
        }
        switch type.value {
        case "boolean": return .boolean
        case "string": return .string()
        case "stringList": return .stringList()
        case "choice": return choices(members["choices"], at: type.location, path).map { .choice($0) }
        case "integer":
            return range(members, path, whole: .integer(Int.min...Int.max)) {
                if case .integer(let value) = $0 { value } else { nil }
            }.map { .integer($0) }
        case "real":
            let largest = Double.greatestFiniteMagnitude
            return range(members, path, whole: .real(-largest...largest)) {
                if case .real(let value) = $0 { value } else { nil }
            }.map { .real($0) }
        case "duration":
            return range(members, path, whole: .duration(.zero ... .seconds(86_400_000))) {
                if case .duration(let value) = $0 { value } else { nil }
            }.map { .duration($0) }
        case "byteSize":
            return range(members, path, whole: .byteSize(0...(1 << 62))) {
                if case .byteSize(let value) = $0 { value } else { nil }
            }.map { .byteSize($0) }
        default:
            report(
                .wrongType, at: type.location, "\(path).type",
                "'\(type.value.prefix(80))' is no type of option; expected \(Self.optionTypes.joined(separator: ", "))",
                hint: Suggestion.nearest(to: type.value, among: Self.optionTypes))
            return nil
        }
    }

    private mutating func choices(
        _ member: JSONMember?, at type: SourceLocation, _ path: String
    ) -> [String]? {
        guard let member else {
            report(.missingKey, at: type, "\(path).choices", "type 'choice' needs the key 'choices'")
            return nil
        }
        guard let elements = array(member.value, "\(path).choices") else { return nil }
        var names: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let name) = element.content else {
                wrongType(element, "\(path).choices[\(index)]", expected: "string")
                continue
            }
            names.append(name)
        }
        if elements.isEmpty {
            report(.optionRange, at: member.value.location, "\(path).choices", "a choice needs at least one name")
        }
        return names.isEmpty ? nil : names
    }

    /// The range from `minimum` to `maximum`; `whole` says how to read them and what they are when absent.
    private mutating func range<Bound: Comparable>(
        _ members: [String: JSONMember], _ path: String, whole: OptionDescriptor.Kind,
        _ bound: (OptionValue) -> Bound?
    ) -> ClosedRange<Bound>? {
        guard let lowest = bound(whole.bounds?.lower ?? .boolean(false)),
            let highest = bound(whole.bounds?.upper ?? .boolean(false))
        else { return nil }
        func read(_ key: String, _ fallback: Bound, _ decoder: inout GraphDecoder) -> Bound {
            guard let member = members[key] else { return fallback }
            switch OptionReader.read(member.value, as: whole) {
            case .success(let value): return bound(value) ?? fallback
            case .failure(let problem):
                decoder.report(problem.code, at: member.value.location, decoder.join(path, key), problem.message)
                return fallback
            }
        }
        let minimum = read("minimum", lowest, &self)
        let maximum = read("maximum", highest, &self)
        guard minimum <= maximum else {
            let place = members["maximum"]?.value.location ?? members["minimum"]?.value.location
            if let place { report(.optionRange, at: place, "\(path).maximum", "maximum is less than minimum") }
            return nil
        }
        return minimum...maximum
    }
}

extension OptionDescriptor.Kind {
    /// Ends of an ordered type's range.
    var bounds: (lower: OptionValue, upper: OptionValue)? {
        switch self {
        case .integer(let range): (.integer(range.lowerBound), .integer(range.upperBound))
        case .real(let range): (.real(range.lowerBound), .real(range.upperBound))
        case .duration(let range): (.duration(range.lowerBound), .duration(range.upperBound))
        case .byteSize(let range): (.byteSize(range.lowerBound), .byteSize(range.upperBound))
        case .boolean, .string, .choice, .stringList: nil
        }
    }
}
