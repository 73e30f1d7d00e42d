import SluiceCore
import SluiceDataflow

/// Writes the JSON Schema of graph files, for editors that complete and check as one types.
///
/// It covers shape, kinds and options; what links mean together only the validator knows.
public enum GraphSchema {
    /// A schema of draft 2020-12 for `sluice/1` with the kinds of `catalog`, ending in a newline. Stable.
    public static func generate(catalog: NodeCatalog) -> String { schema(catalog).encoded(.pretty) + "\n" }

    private static func schema(_ catalog: NodeCatalog) -> JSONValue {
        let name: JSONValue = ["type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_-]{0,63}$"]
        return [
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Sluice graph",
            "type": "object",
            "required": ["schema", "name", "nodes", "links"],
            "additionalProperties": false,
            "properties": [
                "schema": ["const": .string(GraphFile.schema)],
                "name": name,
                "summary": ["type": "string"],
                "select": object(
                    [
                        "shape": ["type": "string"], "priority": ["type": "integer"],
                        "when": ["$ref": "#/$defs/conditions"],
                    ], required: ["shape"]),
                "options": map(["$ref": "#/$defs/option"], names: name),
                "limits": object(["memory": ["$ref": "#/$defs/byteSize"], "channel": ["$ref": "#/$defs/limits"]]),
                "groups": map(object(["onFailure": names(FailurePolicy.allCases.map(\.rawValue))]), names: name),
                "nodes": map(["$ref": "#/$defs/node"], names: name, maximum: GraphFile.maximumNodes),
                "links": [
                    "type": "array", "maxItems": .integer(GraphFile.maximumLinks), "items": ["$ref": "#/$defs/link"],
                ],
            ],
            "$defs": definitions(catalog),
        ]
    }

    private static func definitions(_ catalog: NodeCatalog) -> JSONValue {
        let port: JSONValue = ["type": "string", "pattern": "^[^.]+\\.[^.]+$"]
        return [
            "byteSize": [
                "anyOf": [
                    ["type": "integer", "minimum": 0],
                    ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?(B|KiB|MiB|GiB|TiB)$"],
                ]
            ],
            "duration": ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h)$"],
            "reference": ["type": "string", "pattern": "\\$\\{[^}]+\\}"],
            "limits": object([
                "bytes": ["$ref": "#/$defs/byteSize"], "span": ["$ref": "#/$defs/duration"],
                "items": ["type": "integer", "minimum": 1],
            ]),
            "conditions": ["type": "array", "items": ["oneOf": .array(RouteField.allCases.map(condition))]],
            "option": option,
            "link": object(
                [
                    "from": port, "to": port, "limits": ["$ref": "#/$defs/limits"],
                    "overflow": names(OverflowPolicy.allCases.map(\.rawValue)),
                ], required: ["from", "to"]),
            "node": [
                "type": "object",
                "required": ["kind"],
                "additionalProperties": false,
                "properties": [
                    "kind": names(catalog.kinds), "group": ["type": "string"],
                    "thread": names(ThreadPlacement.allCases.map(\.rawValue)), "options": ["type": "object"],
                    "when": ["$ref": "#/$defs/conditions"],
                ],
                "allOf": .array(catalog.kinds.compactMap { catalog[$0].map(kind) }),
            ],
        ]
    }

    private static func condition(_ field: RouteField) -> JSONValue {
        let values: JSONValue = field.isBoolean ? ["type": "boolean"] : names(field.values)
        return [
            "type": "object",
            "required": ["field"],
            "additionalProperties": false,
            "properties": [
                "field": ["const": .string(field.rawValue)], "equals": values,
                "in": ["type": "array", "minItems": 1, "items": values],
            ],
            "oneOf": [["required": ["equals"]], ["required": ["in"]]],
        ]
    }

    private static var option: JSONValue {
        object(
            [
                "type": names(GraphDecoder.optionTypes), "default": true, "minimum": true, "maximum": true,
                "choices": ["type": "array", "minItems": 1, "items": ["type": "string"]],
                "summary": ["type": "string"],
            ], required: ["type"])
    }

    /// What follows from a node's kind: its options and its thread.
    private static func kind(_ descriptor: NodeDescriptor) -> JSONValue {
        let options = object(
            descriptor.options.map { JSONValue.Member($0.name, value($0)) },
            required: descriptor.options.filter { $0.defaultValue == nil }.map(\.name))
        var consequences: [JSONValue.Member] = [
            JSONValue.Member("description", .string(descriptor.summary)),
            JSONValue.Member("properties", ["options": options]),
        ]
        var required: [JSONValue] = []
        if descriptor.mayBlock {
            consequences[1].value = ["options": options, "thread": ["const": "dedicated"]]
            required.append("thread")
        }
        if descriptor.options.contains(where: { $0.defaultValue == nil }) { required.append("options") }
        if !required.isEmpty { consequences.append(JSONValue.Member("required", .array(required))) }
        return [
            "if": ["properties": ["kind": ["const": .string(descriptor.kind)]], "required": ["kind"]],
            "then": .object(consequences),
        ]
    }

    private static func value(_ option: OptionDescriptor) -> JSONValue {
        let typed: JSONValue =
            switch option.kind {
            case .boolean: ["type": "boolean"]
            case .integer(let range):
                ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
            case .real(let range):
                ["type": "number", "minimum": .real(range.lowerBound), "maximum": .real(range.upperBound)]
            case .string: ["type": "string"]
            case .choice(let choices): names(choices)
            case .duration: ["$ref": "#/$defs/duration"]
            case .byteSize: ["$ref": "#/$defs/byteSize"]
            case .stringList(let count):
                ["type": "array", "maxItems": .integer(count), "items": ["type": "string"]]
            }
        var members: [JSONValue.Member] = [JSONValue.Member("description", .string(option.summary))]
        if let value = option.defaultValue { members.append(JSONValue.Member("default", value.json)) }
        members.append(JSONValue.Member("anyOf", [typed, ["$ref": "#/$defs/reference"]]))
        return .object(members)
    }

    private static func names(_ values: [String]) -> JSONValue { ["enum": .array(values.map { .string($0) })] }

    private static func object(_ properties: KeyValuePairs<String, JSONValue>, required: [String] = []) -> JSONValue {
        object(properties.map { JSONValue.Member($0.key, $0.value) }, required: required)
    }

    private static func object(_ properties: [JSONValue.Member], required: [String]) -> JSONValue {
        var members: [JSONValue.Member] = [JSONValue.Member("type", "object")]
        if !required.isEmpty { members.append(JSONValue.Member("required", .array(required.map { .string($0) }))) }
        members.append(JSONValue.Member("additionalProperties", false))
        members.append(JSONValue.Member("properties", .object(properties)))
        return .object(members)
    }

    private static func map(_ values: JSONValue, names: JSONValue, maximum: Int = 256) -> JSONValue {
        [
            "type": "object", "propertyNames": names, "maxProperties": .integer(maximum),
            "additionalProperties": values,
        ]
    }
}
