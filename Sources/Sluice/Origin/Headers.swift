/// Header fields in the order they came; names are compared without regard to case. Holds at most ``limit``.
public struct Headers: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    public struct Field: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    /// More fields than this are refused: nothing legitimate sends a hundred.
    public static let limit = 100

    private var fields: [Field] = []

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    public var count: Int { fields.count }

    /// The first value of that name. Setting replaces all of them; nil removes them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// All values of that name.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    /// Adds a field beside others of its name; false, and no change, at the limit.
    @discardableResult
    public mutating func append(_ name: String, _ value: String) -> Bool {
        guard fields.count < Self.limit else { return false }
        fields.append(Field(name: name, value: value))
        return true
    }

    public func makeIterator() -> IndexingIterator<[Field]> { fields.makeIterator() }

    private static func areEqual(_ left: String, _ right: String) -> Bool {
        guard left.utf8.count == right.utf8.count else { return false }
        return zip(left.utf8, right.utf8).allSatisfy { lowercased($0) == lowercased($1) }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 32 : byte }
}
