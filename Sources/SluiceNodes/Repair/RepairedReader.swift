package import SluiceAV
package import SluiceCore

/// Reads the served packets of a title in output time, without a graph. Blocks.
package struct RepairedReader: ~Copyable {
    private let reader: PieceReader
    private var repair: PacketRepair

    /// - Throws: what the container throws.
    package init(_ source: any ByteSource, hint: String?, title: PlannedTitle) throws(NodeFailure) {
        reader = try PieceReader(source, hint: hint, budget: .playback, pieces: title.facts.pieces)
        reader.select(Set(title.facts.served))
        if DemuxerNode.isTrusted(title.facts, title.plan) { reader.reader.trustContainer() }
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
