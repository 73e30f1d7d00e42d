import Foundation

/// A JSON Schema evaluator for the keywords that the graph schema uses; any other is an error, never ignored.
///
/// Written from JSON Schema draft 2020-12 (core and validation), on Foundation's JSON rather than on the package's.
struct SchemaChecker {
    struct Unsupported: Error { let keyword: String }

    let schema: [String: Any]

    init(_ text: String) throws {
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        schema = parsed as? [String: Any] ?? [:]
    }

    /// Whether the text is JSON that the schema accepts.
    func accepts(_ text: String) throws -> Bool {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) else {
            return false
        }
        return try accepts(value, schema)
    }

    private func accepts(_ value: Any, _ rules: Any) throws -> Bool {
        if let always = rules as? Bool { return always }
        guard let rules = rules as? [String: Any] else { throw Unsupported(keyword: "\(rules)") }
        for (keyword, rule) in rules {
            guard try accepts(value, keyword, rule, rules) else { return false }
        }
        return true
    }

    private func accepts(_ value: Any, _ keyword: String, _ rule: Any, _ rules: [String: Any]) throws -> Bool {
        let (object, list) = (value as? [String: Any], value as? [Any])
        switch keyword {
        case "$schema", "$defs", "title", "description", "default", "then": return true
        case "$ref": return try accepts(value, definition(rule))
        case "type": return try isOf(rule as? String ?? "", value)
        case "const": return isEqual(value, rule)
        case "enum": return (rule as? [Any] ?? []).contains { isEqual(value, $0) }
        case "pattern":
            guard let text = value as? String, let pattern = rule as? String else { return true }
            return try Regex(pattern).firstMatch(in: text) != nil
        case "minimum": return number(value).map { $0 >= number(rule) ?? .infinity } ?? true
        case "maximum": return number(value).map { $0 <= number(rule) ?? -.infinity } ?? true
        case "required": return object.map { object in names(rule).allSatisfy { object[$0] != nil } } ?? true
        case "properties":
            let known = rule as? [String: Any] ?? [:]
            return try (object ?? [:]).allSatisfy { try accepts($0.value, known[$0.key] ?? true) }
        case "additionalProperties":
            let known = rules["properties"] as? [String: Any] ?? [:]
            return try (object ?? [:]).allSatisfy { try known[$0.key] != nil || accepts($0.value, rule) }
        case "propertyNames": return try (object ?? [:]).keys.allSatisfy { try accepts($0, rule) }
        case "maxProperties": return (object?.count ?? 0) <= Int(number(rule) ?? 0)
        case "items": return try (list ?? []).allSatisfy { try accepts($0, rule) }
        case "minItems": return list.map { $0.count >= Int(number(rule) ?? 0) } ?? true
        case "maxItems": return (list?.count ?? 0) <= Int(number(rule) ?? 0)
        case "allOf": return try (rule as? [Any] ?? []).allSatisfy { try accepts(value, $0) }
        case "anyOf": return try (rule as? [Any] ?? []).contains { try accepts(value, $0) }
        case "oneOf": return try (rule as? [Any] ?? []).filter { try accepts(value, $0) }.count == 1
        case "if": return try !accepts(value, rule) || accepts(value, rules["then"] ?? true)
        default: throw Unsupported(keyword: keyword)
        }
    }

    private func definition(_ reference: Any) throws -> Any {
        let text = reference as? String ?? ""
        guard text.hasPrefix("#/$defs/"), let all = schema["$defs"] as? [String: Any],
            let found = all[String(text.dropFirst("#/$defs/".count))]
        else { throw Unsupported(keyword: "$ref \(text)") }
        return found
    }

    private func isOf(_ type: String, _ value: Any) throws -> Bool {
        switch type {
        case "object": return value is [String: Any]
        case "array": return value is [Any]
        case "string": return value is String
        case "boolean": return isBoolean(value)
        case "number": return number(value) != nil
        case "integer": return number(value).map { $0 == $0.rounded() } ?? false
        default: throw Unsupported(keyword: "type \(type)")
        }
    }

    private func names(_ value: Any) -> [String] { value as? [String] ?? [] }

    /// Foundation keeps both in `NSNumber`; only its type encoding tells them apart.
    private func isBoolean(_ value: Any) -> Bool {
        guard let number = value as? NSNumber else { return false }
        return String(cString: number.objCType) == "c" || String(cString: number.objCType) == "B"
    }

    private func number(_ value: Any) -> Double? {
        guard !(value is String), !isBoolean(value) else { return nil }
        return (value as? NSNumber)?.doubleValue
    }

    private func isEqual(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? String { return left == right as? String }
        if isBoolean(left) || isBoolean(right) {
            return isBoolean(left) && isBoolean(right) && (left as? Bool) == (right as? Bool)
        }
        return number(left).map { $0 == number(right) } ?? false
    }
}
