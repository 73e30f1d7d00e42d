public import SluiceCore
public import SluiceDataflow

/// The lifecycle promises of a registered kind, checked from outside with example items.
///
/// ```swift
/// let broken = await NodeContract.filter(harness, examples: packets) { "\($0.presentationTicks)" }.check()
/// #expect(broken.isEmpty)
/// ```
public struct NodeContract: Sendable {
    /// One promise: nil when it is kept, else what went wrong.
    public struct Promise: Sendable {
        public let name: String
        public let check: @Sendable () async -> String?

        public init(_ name: String, _ check: @escaping @Sendable () async -> String?) {
            self.name = name
            self.check = check
        }
    }

    public let kind: String
    public private(set) var promises: [Promise]

    public init(kind: String, promises: [Promise]) {
        self.kind = kind
        self.promises = promises
    }

    /// Broken promises, as `kind: promise: what happened`.
    public func check() async -> [String] {
        var broken: [String] = []
        for promise in promises {
            if let problem = await promise.check() { broken.append("\(kind): \(promise.name): \(problem)") }
        }
        return broken
    }

    /// The promises of a node with one main input and one main output.
    ///
    /// - Parameters:
    ///   - examples: valid items without an end of stream, from which the node makes at least one payload.
    ///   - describe: says enough of an output payload to compare two runs; handles and addresses left out.
    public static func filter<Kind: Node, Input, Output>(
        _ harness: NodeHarness<Kind, Input, Output>, examples: [Item<Input>],
        describe: @escaping @Sendable (Output) -> String
    ) -> NodeContract {
        let filter = FilterPromises(harness: harness, examples: examples, describe: describe)
        return NodeContract(
            kind: Kind.descriptor.kind,
            promises: [
                Promise("the end of stream drains and is forwarded last, once", filter.endDrains),
                Promise("a flush forgets everything before it", filter.flushForgets),
                Promise("one-slot channels suspend and complete", filter.oneSlotCompletes),
                Promise("a cancelled node returns promptly", filter.cancelReturns),
                Promise("a closed input ends the node", filter.closedInputReturns),
                optionPromise(Kind.descriptor),
            ])
    }

    /// The promises of a sink.
    public static func sink<Kind: SinkNode>(
        _ harness: @escaping @Sendable () -> SinkHarness<Kind>, examples: [Item<Kind.Input>]
    ) -> NodeContract {
        let sink = SinkPromises(harness: harness, examples: examples)
        return NodeContract(
            kind: Kind.descriptor.kind,
            promises: [
                Promise("the end of stream is reported once", sink.endIsReported),
                Promise("a landing sink reports each epoch once, others never", sink.landings),
                Promise("one-slot channels complete", sink.oneSlotCompletes),
                Promise("a closed input ends the node", sink.closedInputReturns),
                optionPromise(Kind.descriptor),
            ])
    }

    /// The promises of a source.
    ///
    /// - Parameters:
    ///   - harness: makes a fresh harness, with fresh byte sources.
    ///   - seek: a target the source can reach.
    public static func source<Kind: Node, Output>(
        _ harness: @escaping @Sendable () -> SourceHarness<Kind, Output>, seek: SeekTarget,
        describe: @escaping @Sendable (Output) -> String
    ) -> NodeContract {
        let source = SourcePromises(harness: harness, target: seek, describe: describe)
        return NodeContract(
            kind: Kind.descriptor.kind,
            promises: [
                Promise("the end of stream is sent last, once", source.endIsSent),
                Promise("every epoch begins with the sticky events of the first", source.epochsBeginSticky),
                Promise("a seek is repeatable", source.seekIsRepeatable),
                Promise("one-slot channels suspend and complete", source.oneSlotCompletes),
                optionPromise(Kind.descriptor),
            ])
    }

    /// Defaults are in range, and values beyond a range are refused.
    static func optionPromise(_ descriptor: NodeDescriptor) -> Promise {
        Promise("options have ranges, and defaults in them") {
            for option in descriptor.options {
                if let value = option.defaultValue, let wrong = option.mismatch(value) {
                    return "default of '\(option.name)' is refused: \(wrong)"
                }
                for value in option.kind.valuesBeyond where option.mismatch(value) == nil {
                    return "'\(option.name)' accepts \(value)"
                }
            }
            return nil
        }
    }
}

extension OptionDescriptor.Kind {
    /// Values of the right type just beyond the range, and one of a wrong type.
    var valuesBeyond: [OptionValue] {
        switch self {
        case .boolean: return [.string("true")]
        case .integer(let range):
            var values: [OptionValue] = [.string("1")]
            if range.lowerBound > .min { values.append(.integer(range.lowerBound - 1)) }
            if range.upperBound < .max { values.append(.integer(range.upperBound + 1)) }
            return values
        case .real(let range):
            var values: [OptionValue] = [.string("1"), .real(.nan)]
            if range.lowerBound > -.infinity { values.append(.real(range.lowerBound.nextDown)) }
            if range.upperBound < .infinity { values.append(.real(range.upperBound.nextUp)) }
            return values
        case .string(let limit):
            return limit < 1 << 20 ? [.string(String(repeating: "x", count: limit + 1)), .integer(1)] : [.integer(1)]
        case .choice: return [.string("no such choice"), .integer(1)]
        case .duration(let range):
            return [
                .duration(range.lowerBound - .nanoseconds(1)), .duration(range.upperBound + .nanoseconds(1)),
                .integer(1),
            ]
        case .byteSize(let range):
            var values: [OptionValue] = [.integer(1)]
            if range.lowerBound > .min { values.append(.byteSize(range.lowerBound - 1)) }
            if range.upperBound < .max { values.append(.byteSize(range.upperBound + 1)) }
            return values
        case .stringList(let limit):
            return limit < 1 << 16 ? [.stringList(Array(repeating: "", count: limit + 1)), .integer(1)] : [.integer(1)]
        }
    }
}
