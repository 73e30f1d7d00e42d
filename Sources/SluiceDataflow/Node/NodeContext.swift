public import SluiceCore

/// What a node is built from: its ports' channels, its options, what the host provides.
public struct NodeContext: Sendable {
    public let core: NodeCore
    public let descriptor: NodeDescriptor
    /// Resolved values, defaults included.
    public let options: [String: OptionValue]
    private let inputs: [String: any AnyChannel]
    private let outputs: [String: any AnyChannel]
    private let resources: Resources

    /// - Parameters:
    ///   - inputs: channels by the name of the input that reads them.
    ///   - outputs: channels by the name of the output that fills them; an input may have the same name.
    public init(
        core: NodeCore, descriptor: NodeDescriptor, options: [String: OptionValue] = [:],
        inputs: [String: any AnyChannel] = [:], outputs: [String: any AnyChannel] = [:], resources: Resources = .none
    ) {
        self.core = core
        self.descriptor = descriptor
        self.options = options
        self.inputs = inputs
        self.outputs = outputs
        self.resources = resources
    }

    public var name: String { core.name }
    public var clock: any TimeSource { core.clock }
    public var logger: Logger { core.logger }
    public var interrupt: InterruptToken { core.interrupt }
    public var metrics: NodeMetrics { core.metrics }

    // MARK: - Ports

    /// The input `name`; the linker has checked that it is linked and of this payload.
    public func input<Payload: MediaPayload>(
        _ name: String, batch: Int = 32
    ) throws(NodeFailure) -> InputPort<Payload> {
        guard let channel = inputs[name] as? Channel<Payload> else { throw noPort(name, Payload.kind) }
        return InputPort(name: name, core: core, channel: channel, batchLimit: batch)
    }

    /// The input `name`, or nil where the graph leaves it unlinked.
    public func optionalInput<Payload: MediaPayload>(
        _ name: String, batch: Int = 32
    ) throws(NodeFailure) -> InputPort<Payload>? {
        guard inputs[name] != nil else { return nil }
        return try input(name, batch: batch)
    }

    /// The output `name`; where the graph leaves an optional output unlinked, what is sent vanishes.
    public func output<Payload: MediaPayload>(
        _ name: String, batch: Int = 32
    ) throws(NodeFailure) -> OutputPort<Payload> {
        guard let any = outputs[name] else {
            guard descriptor.output(name)?.required == false else { throw noPort(name, Payload.kind) }
            return OutputPort(name: name, core: core, channel: nil, batchLimit: batch)
        }
        guard let channel = any as? Channel<Payload> else { throw noPort(name, Payload.kind) }
        return OutputPort(name: name, core: core, channel: channel, batchLimit: batch)
    }

    /// The byte link `name`, as its producer.
    public func byteOutput(_ name: String) throws(NodeFailure) -> ByteLink {
        guard let link = outputs[name] as? ByteLink else { throw noPort(name, .bytes) }
        link.attachProducer(core.waker)
        return link
    }

    /// The byte link `name`, as its consumer.
    public func byteInput(_ name: String) throws(NodeFailure) -> ByteLink {
        guard let link = inputs[name] as? ByteLink else { throw noPort(name, .bytes) }
        link.attachConsumer(core.waker)
        return link
    }

    private func noPort(_ name: String, _ kind: PayloadKind) -> NodeFailure {
        NodeFailure(.internalInvariant, "port '\(name)' of kind '\(descriptor.kind)' is not linked as \(kind.rawValue)")
    }

    // MARK: - Options

    public func boolean(_ name: String) throws(NodeFailure) -> Bool {
        if case .boolean(let value)? = value(name) { return value }
        throw noOption(name, "boolean")
    }
    public func integer(_ name: String) throws(NodeFailure) -> Int {
        if case .integer(let value)? = value(name) { return value }
        throw noOption(name, "integer")
    }
    public func real(_ name: String) throws(NodeFailure) -> Double {
        if case .real(let value)? = value(name) { return value }
        throw noOption(name, "real")
    }
    /// A string or a choice.
    public func string(_ name: String) throws(NodeFailure) -> String {
        if case .string(let value)? = value(name) { return value }
        throw noOption(name, "string")
    }
    public func duration(_ name: String) throws(NodeFailure) -> Duration {
        if case .duration(let value)? = value(name) { return value }
        throw noOption(name, "duration")
    }
    /// In bytes.
    public func byteSize(_ name: String) throws(NodeFailure) -> Int {
        if case .byteSize(let value)? = value(name) { return value }
        throw noOption(name, "byteSize")
    }
    public func stringList(_ name: String) throws(NodeFailure) -> [String] {
        if case .stringList(let value)? = value(name) { return value }
        throw noOption(name, "stringList")
    }

    private func value(_ name: String) -> OptionValue? {
        options[name] ?? descriptor.option(name)?.defaultValue
    }

    private func noOption(_ name: String, _ type: String) -> NodeFailure {
        NodeFailure(.invalidOption, "option '\(name)' has no value of type \(type)")
    }

    // MARK: - Host resources

    /// Something the host injected, by its type.
    public func resource<Value: Sendable>(_ type: Value.Type) throws(NodeFailure) -> Value {
        if let value = resources.value(of: type) { return value }
        throw NodeFailure(.missingResource, "the host provides no \(type); kind '\(descriptor.kind)' needs one")
    }

    public func optionalResource<Value: Sendable>(_ type: Value.Type) -> Value? { resources.value(of: type) }
}

/// Values that a host injects into a graph's nodes, at most one of a type.
public struct Resources: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]
    public static let none = Resources()
    public init() {}

    public mutating func set<Value: Sendable>(_ value: Value, as type: Value.Type = Value.self) {
        values[ObjectIdentifier(type)] = value
    }

    public func with<Value: Sendable>(_ value: Value, as type: Value.Type = Value.self) -> Resources {
        var copy = self
        copy.set(value, as: type)
        return copy
    }

    public func value<Value: Sendable>(of type: Value.Type) -> Value? { values[ObjectIdentifier(type)] as? Value }
}
