import SluiceBitstream
import SluiceCore

extension ArchiveWriter {
    mutating func piece(_ piece: SourcePiece) {
        number(piece.tables)
        number(piece.start)
        optional(piece.end) { $0.number($1) }
        list(piece.streams.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key)
            writer.number(entry.value.index)
        }
        list(piece.formats) { $0.stream($1) }
        list(piece.firstUnits.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            writer.blob(entry.value)
        }
        list(piece.framings.sorted { $0.key < $1.key }) { writer, entry in
            writer.number(entry.key.index)
            if case .lengthPrefixed(let size) = entry.value { writer.number(size) } else { writer.number(0) }
        }
        number(piece.opening)
        number(piece.begin)
        number(piece.floor)
    }
}

extension ArchiveReader {
    mutating func piece() -> SourcePiece? {
        guard let tables = number(), let start = number(), let end = optional({ $0.number() }),
            let streams = list({ reader -> (Int, StreamID)? in
                guard let number = reader.integer(), let id = reader.streamID() else { return nil }
                return (number, id)
            }),
            let formats = list({ $0.stream() }), let units = table({ $0.blob() }),
            let framings = table({ $0.framing() }), let opening = number(), let begin = number(),
            let floor = number()
        else { return nil }
        var piece = SourcePiece(
            tables: tables, start: start, end: end,
            streams: Dictionary(streams, uniquingKeysWith: { first, _ in first }))
        (piece.formats, piece.firstUnits, piece.framings) = (formats, units, framings)
        (piece.opening, piece.begin, piece.floor) = (opening, begin, floor)
        return piece
    }
}
