import SluiceAV
import SluiceCore

/// Reads the packets of a title, also of one whose streams others take over: each piece of the source has a demultiplexer
/// of its own, which gives out its last pictures where the piece ends, and not at the end of all.
///
/// Blocks as ``FormatReader`` does. A class, so that a reader in use can be replaced by the next one's; it belongs to one node.
final class PieceReader {
    // Only its owner's own calls touch it, one after the other: a check at each access would cost as much as the read.
    @exclusivity(unchecked) var reader: FormatReader
    private let pieces: [SourcePiece]
    /// The piece that is read.
    private var current = 0
    private let source: any ByteSource
    private let hint: String?
    private let budget: ProbeBudget
    /// By stream index of the piece's reader: the title's stream; nil where a packet is its own stream's.
    private var names: [StreamID?] = []
    /// The title's streams that are read; nil for all.
    private var chosen: Set<StreamID>?
    /// Byte offset of the last packet.
    private var position: Int64 = 0

    /// - Parameter pieces: empty where the streams are the same throughout.
    /// - Throws: what the container throws.
    init(
        _ source: any ByteSource, hint: String?, budget: ProbeBudget, pieces: [SourcePiece]
    ) throws(NodeFailure) {
        self.pieces = pieces
        self.source = source
        self.hint = hint
        self.budget = budget
        var opened = try FormatReader(
            source: pieces.first?.stretch(of: source) ?? source, hint: hint, budget: budget)
        if let first = pieces.first {
            names = Self.names(opened.streams, first, nil)
            opened.select(Self.named(names))
        }
        reader = opened
    }

    /// As ``FormatReader/select(_:)``, by the title's names.
    func select(_ chosen: Set<StreamID>) {
        self.chosen = chosen
        guard !pieces.isEmpty else { return reader.select(chosen) }
        name()
    }

    /// The next packet, under the title's name of its stream; nil at the end of the source.
    func readPacket() throws(NodeFailure) -> Packet? {
        guard !pieces.isEmpty else { return try reader.readPacket() }
        while true {
            guard var packet = try reader.readPacket() else {
                guard current + 1 < pieces.count else { return nil }
                try open(current + 1)
                continue
            }
            guard names.indices.contains(packet.stream.index), let name = names[packet.stream.index] else { continue }
            if let place = packet.filePosition { position = pieces[current].tables &+ place }
            if name != packet.stream { packet.setStream(name) }
            packet.setFilePosition(max(position, pieces[current].start))
            return packet
        }
    }

    func rewind() throws(NodeFailure) {
        guard pieces.isEmpty || current == 0 else { return try open(0) }
        try reader.rewind()
    }

    /// - Parameter offset: in the whole source.
    func seek(toByte offset: Int64) throws(NodeFailure) {
        guard !pieces.isEmpty else { return try reader.seek(toByte: offset) }
        let wanted = SourcePiece.index(pieces, at: offset)
        if wanted != current { try open(wanted) }
        position = offset
        try reader.seek(toByte: offset &- pieces[wanted].tables)
    }

    // MARK: - Private

    private func open(_ number: Int) throws(NodeFailure) {
        let next = try FormatReader(source: pieces[number].stretch(of: source), hint: hint, budget: budget)
        reader = next
        current = number
        position = pieces[number].start
        name()
    }

    private func name() {
        guard !pieces.isEmpty else { return }
        names = Self.names(reader.streams, pieces[current], chosen)
        reader.select(Self.named(names))
    }

    private static func names(
        _ streams: [StreamFormat], _ piece: SourcePiece, _ chosen: Set<StreamID>?
    ) -> [StreamID?] {
        streams.map { format in
            piece.streams[format.containerNumber].flatMap { chosen?.contains($0) ?? true ? $0 : nil }
        }
    }

    private static func named(_ names: [StreamID?]) -> Set<StreamID> {
        Set(names.indices.filter { names[$0] != nil }.map { StreamID($0) })
    }
}
