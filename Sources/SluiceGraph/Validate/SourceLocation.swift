/// A place in a text file, for people (line and column) and for programs (offset).
public struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Name of the file as the caller gave it; `--set` for settings of the command line.
    public var file: String
    /// From 1.
    public var line: Int
    /// In Unicode scalars, from 1; a tab counts as one.
    public var column: Int
    /// In bytes, from 0.
    public var offset: Int

    public init(file: String, line: Int, column: Int, offset: Int) {
        self.file = file
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// The first character of `file`.
    public static func start(of file: String) -> Self { SourceLocation(file: file, line: 1, column: 1, offset: 0) }

    public static func < (left: Self, right: Self) -> Bool {
        (left.file, left.line, left.column, left.offset) < (right.file, right.line, right.column, right.offset)
    }

    public var description: String { "\(file):\(line):\(column)" }
}

/// A value together with the place it was read from.
public struct Located<Value: Sendable>: Sendable {
    public var value: Value
    public var location: SourceLocation

    public init(_ value: Value, at location: SourceLocation) {
        self.value = value
        self.location = location
    }
}

extension Located: Equatable where Value: Equatable {}
extension Located: Hashable where Value: Hashable {}
