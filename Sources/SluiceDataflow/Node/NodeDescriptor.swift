public import SluiceCore

/// What a kind of node is: its ports, options and needs. Graph files are checked on it before anything runs.
public struct NodeDescriptor: Sendable, Hashable {
    /// Registered name: lower-case words joined by hyphens.
    public var kind: String
    public var ports: [PortDescriptor]
    public var options: [OptionDescriptor]
    /// Calls C that may block; such a node must have `"thread": "dedicated"`.
    public var mayBlock: Bool
    /// A sink whose first payload after a seek decides that the seek landed.
    public var landing: Bool
    /// Bytes it may hold outside its channels.
    public var workingSetBytes: Int
    /// Time by which its output may lag its input (encoder look-ahead, decoder reordering). Joins must buffer it.
    public var lookAhead: Duration
    /// The span by which a merger's inputs may differ before it waits; zero for everything else.
    public var mergeSkew: Duration
    public var summary: String

    public init(
        kind: String, ports: [PortDescriptor], options: [OptionDescriptor] = [], mayBlock: Bool = false,
        landing: Bool = false, workingSetBytes: Int = 0, lookAhead: Duration = .zero, mergeSkew: Duration = .zero,
        summary: String
    ) {
        self.kind = kind
        self.ports = ports
        self.options = options
        self.mayBlock = mayBlock
        self.landing = landing
        self.workingSetBytes = workingSetBytes
        self.lookAhead = lookAhead
        self.mergeSkew = mergeSkew
        self.summary = summary
    }

    public var inputs: [PortDescriptor] { ports.filter { $0.direction == .input } }
    public var outputs: [PortDescriptor] { ports.filter { $0.direction == .output } }

    /// A node that makes the timeline: it has no input but bytes, and it is where seeks go.
    public var isSource: Bool { inputs.allSatisfy { $0.payload == .bytes } }
    public var isSink: Bool { outputs.isEmpty }

    /// One input and one output of `payload`, and no option without a default: it can be tried with payloads alone.
    public func isPlainFilter(of payload: PayloadKind) -> Bool {
        inputs.map(\.payload) == [payload] && outputs.map(\.payload) == [payload]
            && options.allSatisfy { $0.defaultValue != nil }
    }

    /// The first port of that name; an input and an output may share one.
    public func port(_ name: String) -> PortDescriptor? { ports.first { $0.name == name } }
    public func input(_ name: String) -> PortDescriptor? { inputs.first { $0.name == name } }
    public func output(_ name: String) -> PortDescriptor? { outputs.first { $0.name == name } }
    public func option(_ name: String) -> OptionDescriptor? { options.first { $0.name == name } }
}
