/// A JSON value as it was read, with the place of its first character.
public struct JSONNode: Sendable, Hashable {
    public indirect enum Content: Sendable, Hashable {
        case null
        case boolean(Bool)
        /// A number without fraction and exponent that fits 64 bits.
        case integer(Int)
        case real(Double)
        case string(String)
        case array([JSONNode])
        /// In file order; no key twice.
        case object([JSONMember])
    }

    public var content: Content
    public var location: SourceLocation

    public init(_ content: Content, at location: SourceLocation) {
        self.content = content
        self.location = location
    }

    /// Name of the value's type for messages: `string`, `object`.
    public var typeName: String {
        switch content {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The value without its places.
    public var value: JSONValue {
        switch content {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .real(let value): .real(value)
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.map { JSONValue.Member($0.key.value, $0.value.value) })
        }
    }
}

/// A member of an object, with the places of its key and of its value.
public struct JSONMember: Sendable, Hashable {
    public var key: Located<String>
    public var value: JSONNode

    public init(key: Located<String>, value: JSONNode) {
        self.key = key
        self.value = value
    }
}
