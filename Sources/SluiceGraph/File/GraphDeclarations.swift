public import SluiceDataflow

/// `select`: when a graph is the one to run.
public struct SelectionRule: Sendable {
    public var location: SourceLocation
    /// What the graph makes; the name that hosts ask for.
    public var shape: Located<String>?
    /// The highest matching one wins. Default 0.
    public var priority: Located<Int>?
    /// All must hold.
    public var conditions: [GraphCondition]
}

/// One condition of `when`: a field has one of some values.
public struct GraphCondition: Sendable, CustomStringConvertible {
    public var location: SourceLocation
    public var field: RouteField
    /// As text; booleans as `true` and `false`. Never empty.
    public var allowed: [String]

    /// Whether `facts` satisfy it.
    public func holds(_ facts: RouteFacts) -> Bool { allowed.contains(facts.value(of: field)) }

    public var description: String {
        allowed.count == 1
            ? "\(field.rawValue) is \(allowed[0])" : "\(field.rawValue) is one of \(allowed.joined(separator: ", "))"
    }
}

/// An option of the graph itself, which node options refer to as `${name}`.
public struct GraphOption: Sendable {
    public var name: Located<String>
    /// Nil when the declaration is broken.
    public var descriptor: OptionDescriptor?
}

/// What the failure of a group's node means for the graph.
public enum FailurePolicy: String, Sendable, Hashable, CaseIterable {
    /// Everything is cancelled and the run fails.
    case failGraph
    /// The group ends; the rest runs on without it.
    case isolate
}

/// A set of nodes that fail together.
public struct GroupDeclaration: Sendable {
    /// Group of nodes that name none.
    public static let defaultName = "main"

    public var name: Located<String>
    public var onFailure: FailurePolicy
}

/// Where a node runs.
public enum ThreadPlacement: String, Sendable, Hashable, CaseIterable {
    /// The cooperative pool; nothing there may block.
    case pool
    /// One lane for all nodes of the group that say so: light stages in a row, of which none waits for a thread to wake
    /// while another runs. Nothing there may block.
    case shared
    /// A lane of its own.
    case dedicated
}

public struct NodeDeclaration: Sendable {
    public var name: Located<String>
    public var kind: Located<String>?
    public var group: Located<String>?
    public var thread: Located<ThreadPlacement>?
    /// Values as they stand in the file, references included.
    public var options: [JSONMember]
    /// Nil when the node is always there.
    public var conditions: [GraphCondition]?
    /// Place of the `when` key.
    public var conditionsLocation: SourceLocation?
}

/// `node.port` in a link.
public struct PortReference: Sendable, Hashable, CustomStringConvertible {
    public var node: String
    public var port: String

    /// Nil unless `text` is two names joined by one dot.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        node = String(parts[0])
        port = String(parts[1])
    }

    public var description: String { "\(node).\(port)" }
}

public struct LinkDeclaration: Sendable {
    public var location: SourceLocation
    /// Position in `links`, from 0.
    public var index: Int
    public var from: Located<PortReference>?
    public var to: Located<PortReference>?
    public var limits: LinkLimits
    public var overflow: OverflowPolicy
}
