package import SluiceBitstream
package import SluiceCore

/// A stretch of a transport stream whose program has the same streams throughout. Where others take over, the next begins.
package struct SourcePiece: Sendable, Hashable {
    /// Byte offset of the tables that name its streams: where a demultiplexer begins. 0 for the first.
    package var tables: Int64
    /// Byte offset from which packets are its own; what comes before belongs to the piece before.
    package var start: Int64
    /// Byte offset where it ends; nil at the end of the source.
    package var end: Int64?
    /// The title's streams by the packet identifiers that carry them here.
    package var streams: [Int: StreamID]
    /// What those streams are here, under the title's names.
    package var formats: [StreamFormat] = []
    /// As in the facts, for the streams of this piece.
    package var firstUnits: [StreamID: [UInt8]] = [:]
    package var framings: [StreamID: NALFraming] = [:]
    /// Byte offset of the first picture that can be decoded; 0 for the first piece, whose opening the spans tell.
    package var opening: Int64 = 0
    /// Output time of that picture, and of the earliest that can be shown, in ticks of the picture's clock.
    package var begin: Int64 = 0
    package var floor: Int64 = 0

    package init(tables: Int64, start: Int64, end: Int64?, streams: [Int: StreamID]) {
        self.tables = tables
        self.start = start
        self.end = end
        self.streams = streams
    }

    /// The piece that packets at a byte offset belong to.
    static func index(_ pieces: [SourcePiece], at position: Int64) -> Int {
        max(0, (pieces.firstIndex { $0.start > position } ?? pieces.count) - 1)
    }

    /// Its bytes, with the tables before them.
    func stretch(of source: any ByteSource) -> ByteStretch { ByteStretch(source, from: tables, to: end) }
}

extension TitleFacts {
    /// The facts as they are in one piece: under the same names other streams.
    package func within(piece number: Int) -> TitleFacts {
        guard number > 0, pieces.indices.contains(number) else { return self }
        var facts = self
        facts.leading = versions.firstIndex { $0.piece == number } ?? 0
        for format in pieces[number].formats {
            guard let place = facts.streams.firstIndex(where: { $0.id == format.id }) else { continue }
            facts.streams[place] = format
            facts.firstUnits[format.id] = pieces[number].firstUnits[format.id]
            facts.framings[format.id] = pieces[number].framings[format.id]
        }
        return facts
    }

    /// The piece that a configuration of the picture belongs to.
    package func piece(ofVersion version: Int) -> Int {
        versions.indices.contains(version) ? versions[version].piece : 0
    }

    /// Initialization sections of a stream: the picture has one for each of its configurations, sound one for each piece.
    package func sections(of stream: StreamID) -> Int {
        max(1, stream == video ? versions.count : pieces.count)
    }

    /// Which of them holds where the picture has configuration `version`.
    package func section(of stream: StreamID, version: Int) -> Int {
        stream == video ? max(0, min(version, sections(of: stream) - 1)) : piece(ofVersion: version)
    }

    /// Every codec that a stream of the title has.
    package func codecs(of stream: StreamID) -> [CodecName] {
        let later = pieces.dropFirst().compactMap { piece in piece.formats.first { $0.id == stream }?.codec }
        var list: [CodecName] = []
        for codec in (format(stream).map { [$0.codec] } ?? []) + later where !list.contains(codec) {
            list.append(codec)
        }
        return list
    }
}
