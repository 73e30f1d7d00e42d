public import SluiceAV
public import SluiceCore
public import SluiceDataflow

extension NodeContract {
    /// The promises of a registered packet filter, found by the name of its kind.
    ///
    /// Nil where there is no such kind or it is no plain packet filter: one packet input, one packet output, a default
    /// for every option.
    ///
    /// - Parameters:
    ///   - setup: the resources it may ask for.
    ///   - examples: see ``filter(_:examples:describe:)``.
    public static func packetFilter(
        _ kind: String, in registry: NodeRegistry, setup: HarnessSetup = HarnessSetup(), examples: [Item<Packet>],
        describe: @escaping @Sendable (Packet) -> String
    ) -> NodeContract? {
        guard let type = registry.type(of: kind), let descriptor = registry.descriptor(kind),
            descriptor.isPlainFilter(of: .packet)
        else { return nil }
        func contract<Kind: Node>(_ type: Kind.Type) -> NodeContract {
            let harness = NodeHarness(
                type, input: descriptor.inputs[0].name, of: Packet.self, output: descriptor.outputs[0].name,
                of: Packet.self, setup: setup)
            return filter(harness, examples: examples, describe: describe)
        }
        return contract(type)
    }
}
