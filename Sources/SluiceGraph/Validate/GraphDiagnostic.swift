import SluiceCore

/// One finding about a graph file: what is wrong, where, and the nearest right name.
public struct GraphDiagnostic: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Severity: String, Sendable, Hashable {
        /// The graph cannot run.
        case error
        /// The graph runs, but hardly as meant.
        case warning
    }

    /// What to switch on; the raw value is what is printed.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The file itself cannot be read.
        case unreadable
        case syntax
        case duplicateKey = "duplicate-key"
        case unknownKey = "unknown-key"
        case missingKey = "missing-key"
        case wrongType = "wrong-type"
        case unknownSchema = "unknown-schema"
        case unknownKind = "unknown-kind"
        case unknownPort = "unknown-port"
        case wrongDirection = "wrong-direction"
        case payloadMismatch = "payload-mismatch"
        case unlinkedRequiredPort = "unlinked-required-port"
        case outputLinkedTwice = "output-linked-twice"
        case inputLinkedTwice = "input-linked-twice"
        case unreachableNode = "unreachable-node"
        case noSink = "no-sink"
        case cycle
        case unknownOption = "unknown-option"
        case optionType = "option-type"
        case optionRange = "option-range"
        case unresolvedReference = "unresolved-reference"
        case blockingOnPool = "blocking-on-pool"
        case unknownGroup = "unknown-group"
        case memoryBound = "memory-bound"
        case zeroCapacity = "zero-capacity"
        case unbufferedDiamond = "unbuffered-diamond"
        case ambiguousSelection = "ambiguous-selection"
        case conditionOnRequiredNode = "condition-on-required-node"
    }

    public var severity: Severity
    public var code: Code
    public var location: SourceLocation?
    /// Place in the document's structure: `links[3].to`; empty for the document itself.
    public var path: String
    public var message: String
    /// The nearest known name to the one that was not found.
    public var hint: String?

    public init(
        _ code: Code, at location: SourceLocation?, path: String = "", _ message: String, hint: String? = nil,
        severity: Severity = .error
    ) {
        self.severity = severity
        self.code = code
        self.location = location
        self.path = path
        self.message = message
        self.hint = hint
    }

    /// `file:line:column: error[code]: message (hint: 'name')`.
    public var description: String {
        let place = location.map { "\($0): " } ?? ""
        let suffix = hint.map { " (hint: '\($0)')" } ?? ""
        return TerminalText.line("\(place)\(severity.rawValue)[\(code.rawValue)]: \(message)\(suffix)")
    }

    /// The form that `--json` prints.
    public var json: JSONValue {
        [
            "severity": .string(severity.rawValue), "code": .string(code.rawValue),
            "file": location.map { .string($0.file) } ?? .null, "line": location.map { .integer($0.line) } ?? .null,
            "column": location.map { .integer($0.column) } ?? .null, "path": .string(path),
            "message": .string(message), "hint": hint.map { .string($0) } ?? .null,
        ]
    }
}

extension [GraphDiagnostic] {
    /// Whether any finding keeps the graph from running.
    public var hasErrors: Bool { contains { $0.severity == .error } }

    /// By place, then code and text; findings without a place come last.
    func sortedByLocation() -> [GraphDiagnostic] {
        sorted { left, right in
            switch (left.location, right.location) {
            case (let a?, let b?) where a != b: a < b
            case (.some, nil): true
            case (nil, .some): false
            default: (left.code.rawValue, left.message) < (right.code.rawValue, right.message)
            }
        }
    }
}
