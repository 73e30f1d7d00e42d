import SluiceAV
import SluiceBitstream
import SluiceCore

/// Finds streams whose units are encrypted: nobody could decode what is made of them. Blocks.
enum EncryptionProbe {
    /// Bytes of a transport stream that are looked through.
    static let transportBytes = 1 << 20

    /// - Parameters:
    ///   - movie: payload of the movie box; nil for other containers.
    ///   - source: the bytes under `reader`; nil where they cannot be read, then transport streams count as clear.
    static func streams(
        _ reader: borrowing FormatReader, movie: [UInt8]?, source: (any ByteSource)?
    ) throws(NodeFailure) -> Set<StreamID> {
        let streams = reader.streams
        if let movie { return Set(protectedTracks(movie).map { StreamID($0) }) }
        if reader.formatName.hasPrefix("matroska") {
            var found: Set<StreamID> = []
            for format in streams where reader.metadata(of: format.id)["enc_key_id"] != nil { found.insert(format.id) }
            return found
        }
        guard reader.formatName == "mpegts", let source else { return [] }
        let scrambled = scrambledPackets(try MovieBox.bytes(source, at: 0, count: transportBytes))
        return Set(streams.filter { scrambled.contains($0.containerNumber) }.map(\.id))
    }

    /// Places of the tracks whose sample entries are protected.
    ///
    /// - Note: ISO/IEC 14496-12 §8.12 (`encv`, `enca`); `drms` and `drmi` are those of the iTunes Store.
    static func protectedTracks(_ movie: [UInt8]) -> [Int] {
        movie.withUnsafeBytes { bytes in
            var found: [Int] = []
            var boxes = BoxReader(bytes)
            var place = 0
            while let box = try? boxes.next() {
                guard box.type == "trak" else { continue }
                if let list = BoxReader.descend(["mdia", "minf", "stbl", "stsd"], in: bytes, box.payload),
                    hasProtectedEntry(bytes, list.payload)
                {
                    found.append(place)
                }
                place += 1
            }
            return found
        }
    }

    private static func hasProtectedEntry(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        guard range.count > 8 else { return false }
        var entries = BoxReader(bytes, (range.lowerBound + 8)..<range.upperBound)
        for _ in 0..<64 {
            guard let entry = try? entries.next() else { break }
            if ["encv", "enca", "encs", "enct", "encm", "drms", "drmi"].contains(entry.type) { return true }
        }
        return false
    }

    /// Identifiers of the packets of which more than half are scrambled.
    ///
    /// - Note: ISO/IEC 13818-1 §2.4.3.2 (`transport_scrambling_control`).
    static func scrambledPackets(_ bytes: [UInt8]) -> Set<Int> {
        guard let (first, step) = layout(bytes) else { return [] }
        var counts: [Int: (scrambled: Int, all: Int)] = [:]
        var offset = first
        while offset + 188 <= bytes.count {
            defer { offset += step }
            guard bytes[offset] == 0x47, bytes[offset + 1] & 0x80 == 0, bytes[offset + 3] & 0x10 != 0 else { continue }
            let number = Int(bytes[offset + 1] & 0x1F) << 8 | Int(bytes[offset + 2])
            counts[number, default: (0, 0)].all += 1
            if bytes[offset + 3] & 0xC0 != 0 { counts[number, default: (0, 0)].scrambled += 1 }
        }
        return Set(counts.filter { $0.value.scrambled * 2 > $0.value.all }.keys)
    }

    /// Where the first packet begins, and the distance of two: 188 bytes, 192 with a time code, 204 with parity.
    private static func layout(_ bytes: [UInt8]) -> (first: Int, step: Int)? {
        for step in [188, 192, 204] {
            for first in 0..<min(step, max(0, bytes.count - 188)) {
                let starts = Array(stride(from: first, to: bytes.count, by: step).prefix(5))
                if starts.count > 1, starts.allSatisfy({ bytes[$0] == 0x47 }) { return (first, step) }
            }
        }
        return nil
    }
}
