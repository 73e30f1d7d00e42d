/// Why a graph cannot run: every finding, sorted by place. At least one is an error.
public struct GraphValidationError: Error, Sendable, Hashable, CustomStringConvertible {
    public let diagnostics: [GraphDiagnostic]

    public init(_ diagnostics: [GraphDiagnostic]) { self.diagnostics = diagnostics.sortedByLocation() }

    /// One finding a line.
    public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
