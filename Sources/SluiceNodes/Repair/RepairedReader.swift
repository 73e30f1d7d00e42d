package import SluiceAV
package import SluiceCore

/// Reads the served packets of a title in output time, without a graph. Blocks.
package struct RepairedReader: ~Copyable {
    private var reader: FormatReader
    private var repair: PacketRepair

    /// - Throws: what the container throws.
    package init(_ source: any ByteSource, hint: String?, title: PlannedTitle) throws(NodeFailure) {
        reader = try FormatReader(source: source, hint: hint)
        reader.select(Set(title.facts.served))
        if DemuxerNode.isTrusted(title.facts, title.plan) { reader.trustContainer() }
        repair = PacketRepair(title.facts)
    }

    /// Nil at the end of the source.
    package mutating func next() throws(NodeFailure) -> Packet? {
        while let packet = try reader.readPacket() {
            if case .place(let placed) = repair.repair(packet) { return placed }
        }
        return nil
    }
}
