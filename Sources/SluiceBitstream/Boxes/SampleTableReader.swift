public import SluiceCore

/// Unpacks the sample tables of a movie box. Bounded: no table may promise more than its box holds.
///
/// - Note: ISO/IEC 14496-12 §8.2 to §8.7.
public struct SampleTableReader {
    /// Samples of all tracks together that are unpacked.
    public static let sampleLimit = 16_000_000

    private let bytes: UnsafeRawBufferPointer
    private var samples = 0

    private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The tables of every track of `movie`, the payload of a `moov` box, in file order.
    ///
    /// Throws `.malformedInput` where a table does not fit its box or the tables contradict each other, `.limitExceeded`
    /// beyond ``sampleLimit``, `.unsupported` where the movie is fragmented or compressed.
    public static func tables(movie: [UInt8]) throws(NodeFailure) -> [SampleTable] {
        try movie.withBytes { (buffer) throws(NodeFailure) -> [SampleTable] in
            var reader = SampleTableReader(buffer)
            return try reader.tables()
        }
    }

    private mutating func tables() throws(NodeFailure) -> [SampleTable] {
        var tables: [SampleTable] = []
        var boxes = BoxReader(bytes)
        while let box = try boxes.next() {
            switch box.type {
            case "mvex": throw NodeFailure(.unsupported, "sample tables of a fragmented movie")
            case "cmov": throw NodeFailure(.unsupported, "sample tables of a compressed movie")
            case "trak": tables.append(try track(box.payload))
            default: break
            }
        }
        return tables
    }

    private mutating func track(_ range: Range<Int>) throws(NodeFailure) -> SampleTable {
        var table = SampleTable()
        if let header = BoxReader.first("tkhd", in: bytes, range) { table.trackID = trackID(header.payload) }
        if let list = BoxReader.descend(["edts", "elst"], in: bytes, range) { table.edits = edits(list.payload) }
        guard let media = BoxReader.first("mdia", in: bytes, range) else { return table }
        if let header = BoxReader.first("mdhd", in: bytes, media.payload) {
            table.timescale = timescale(header.payload)
        }
        if let handler = BoxReader.first("hdlr", in: bytes, media.payload) {
            var reader = ByteReader(bytes, handler.payload)
            reader.skip(8)
            table.handler = reader.fourCC()
        }
        guard let samples = BoxReader.descend(["minf", "stbl"], in: bytes, media.payload) else { return table }
        try unpack(samples.payload, into: &table)
        return table
    }

    private mutating func unpack(_ range: Range<Int>, into table: inout SampleTable) throws(NodeFailure) {
        func box(_ type: FourCC) -> Range<Int>? { BoxReader.first(type, in: bytes, range)?.payload }
        if let description = box("stsd") {
            var reader = ByteReader(bytes, description)
            reader.skip(4)
            table.entryCount = Int(reader.u32())
            reader.skip(4)
            table.entry = reader.fourCC()
        }
        table.sizes = try sizes(box("stsz"), compact: box("stz2"))
        samples += table.count
        guard samples <= Self.sampleLimit else {
            throw NodeFailure(.limitExceeded, "more than \(Self.sampleLimit) samples")
        }
        try decodeTimes(box("stts"), into: &table)
        if let range = box("ctts") { try compositionOffsets(range, into: &table) }
        if let range = box("stss") { table.syncSamples = syncSamples(range, count: table.count) }
        table.offsets = try offsets(
            map: box("stsc"), chunks: try chunks(box("stco"), wide: box("co64")), sizes: table.sizes)
    }

    // MARK: - Tables

    private func trackID(_ range: Range<Int>) -> UInt32 {
        var reader = ByteReader(bytes, range)
        let version = reader.u8()
        reader.skip(version == 1 ? 19 : 11)
        return reader.u32()
    }

    private func timescale(_ range: Range<Int>) -> UInt32 {
        var reader = ByteReader(bytes, range)
        let version = reader.u8()
        reader.skip(version == 1 ? 19 : 11)
        return reader.u32()
    }

    private func edits(_ range: Range<Int>) -> [SampleTable.Edit] {
        var reader = ByteReader(bytes, range)
        let version = reader.u8()
        reader.skip(3)
        let count = min(Int(reader.u32()), reader.remaining / (version == 1 ? 20 : 12))
        return (0..<count).map { _ in
            let duration = version == 1 ? Int64(clamping: reader.u64()) : Int64(reader.u32())
            let time = version == 1 ? Int64(bitPattern: reader.u64()) : Int64(reader.i32())
            reader.skip(4)
            return SampleTable.Edit(duration: duration, mediaTime: time)
        }
    }

    private func sizes(_ range: Range<Int>?, compact: Range<Int>?) throws(NodeFailure) -> [UInt32] {
        if let range {
            var reader = ByteReader(bytes, range)
            reader.skip(4)
            let constant = reader.u32()
            let count = Int(reader.u32())
            if constant > 0 {
                // Nothing backs this count: uncompressed sound has one a sample and is not planned from tables.
                guard count <= 1_000_000 else { throw NodeFailure(.unsupported, "\(count) samples of one size") }
                return [UInt32](repeating: constant, count: count)
            }
            try expect(count, of: 4, in: reader, "stsz")
            return (0..<count).map { _ in reader.u32() }
        }
        guard let compact else { return [] }
        var reader = ByteReader(bytes, compact)
        reader.skip(7)
        let width = Int(reader.u8())
        let count = Int(reader.u32())
        switch width {
        case 16:
            try expect(count, of: 2, in: reader, "stz2")
            return (0..<count).map { _ in UInt32(reader.u16()) }
        case 8:
            try expect(count, of: 1, in: reader, "stz2")
            return (0..<count).map { _ in UInt32(reader.u8()) }
        case 4:
            try expect((count + 1) / 2, of: 1, in: reader, "stz2")
            var pair: UInt8 = 0
            return (0..<count).map { number in
                if number % 2 == 0 { pair = reader.u8() }
                return UInt32(number % 2 == 0 ? pair >> 4 : pair & 15)
            }
        default: throw NodeFailure(.malformedInput, "stz2 with sizes of \(width) bits; expected 4, 8 or 16")
        }
    }

    private func decodeTimes(_ range: Range<Int>?, into table: inout SampleTable) throws(NodeFailure) {
        guard let range else {
            guard table.count == 0 else { throw NodeFailure(.malformedInput, "\(table.count) samples without 'stts'") }
            return
        }
        var reader = ByteReader(bytes, range)
        reader.skip(4)
        let count = Int(reader.u32())
        try expect(count, of: 8, in: reader, "stts")
        table.decodeTimes.reserveCapacity(table.count)
        var time: Int64 = 0
        for _ in 0..<count {
            let run = Int(reader.u32())
            // Some writers store small negative steps; libavformat reads them as such.
            let step = Int64(reader.i32())
            guard run <= table.count - table.decodeTimes.count else {
                throw NodeFailure(.malformedInput, "'stts' lists more samples than the \(table.count) of 'stsz'")
            }
            table.lastDuration = step
            for _ in 0..<run {
                table.decodeTimes.append(time)
                time &+= step
            }
        }
        guard table.decodeTimes.count == table.count else {
            throw NodeFailure(
                .malformedInput, "'stts' lists \(table.decodeTimes.count) samples; 'stsz' has \(table.count)")
        }
    }

    private func compositionOffsets(_ range: Range<Int>, into table: inout SampleTable) throws(NodeFailure) {
        var reader = ByteReader(bytes, range)
        reader.skip(4)
        let count = Int(reader.u32())
        try expect(count, of: 8, in: reader, "ctts")
        table.compositionOffsets.reserveCapacity(table.count)
        for _ in 0..<count {
            let run = min(Int(reader.u32()), table.count - table.compositionOffsets.count)
            // Version 0 is unsigned by the letter, and written signed by many.
            let offset = reader.i32()
            table.compositionOffsets.append(contentsOf: repeatElement(offset, count: run))
        }
        // Samples that the table does not reach are not reordered.
        let missing = table.count - table.compositionOffsets.count
        table.compositionOffsets.append(contentsOf: repeatElement(0, count: missing))
    }

    private func syncSamples(_ range: Range<Int>, count samples: Int) -> [Int] {
        var reader = ByteReader(bytes, range)
        reader.skip(4)
        let count = min(Int(reader.u32()), reader.remaining / 4)
        let numbers = (0..<count).map { _ in Int(reader.u32()) - 1 }
        return numbers.filter { (0..<samples).contains($0) }.sorted()
    }

    private func chunks(_ range: Range<Int>?, wide: Range<Int>?) throws(NodeFailure) -> [Int64] {
        guard let place = range ?? wide else { return [] }
        let size = range == nil ? 8 : 4
        var reader = ByteReader(bytes, place)
        reader.skip(4)
        let count = Int(reader.u32())
        try expect(count, of: size, in: reader, size == 8 ? "co64" : "stco")
        return (0..<count).map { _ in Int64(clamping: reader.number(bytes: size)) }
    }

    private func offsets(map: Range<Int>?, chunks: [Int64], sizes: [UInt32]) throws(NodeFailure) -> [Int64] {
        guard !sizes.isEmpty else { return [] }
        guard let map, !chunks.isEmpty else {
            throw NodeFailure(.malformedInput, "\(sizes.count) samples without 'stsc' or chunk offsets")
        }
        var reader = ByteReader(bytes, map)
        reader.skip(4)
        let count = Int(reader.u32())
        try expect(count, of: 12, in: reader, "stsc")
        var runs: [(first: Int, samples: Int)] = []
        for _ in 0..<count {
            runs.append((Int(reader.u32()) - 1, Int(reader.u32())))
            reader.skip(4)
        }
        var offsets: [Int64] = []
        offsets.reserveCapacity(sizes.count)
        for (number, run) in runs.enumerated() {
            let next = number + 1 < runs.count ? runs[number + 1].first : chunks.count
            guard run.first >= 0, run.first <= next else {
                throw NodeFailure(.malformedInput, "'stsc' entry \(number) begins at chunk \(run.first + 1)")
            }
            for chunk in run.first..<min(next, chunks.count) {
                var place = chunks[chunk]
                for _ in 0..<min(run.samples, sizes.count - offsets.count) {
                    offsets.append(place)
                    place &+= Int64(sizes[offsets.count - 1])
                }
            }
        }
        guard offsets.count == sizes.count else {
            throw NodeFailure(.malformedInput, "chunks hold \(offsets.count) samples; 'stsz' has \(sizes.count)")
        }
        return offsets
    }

    private func expect(_ count: Int, of size: Int, in reader: ByteReader, _ name: String) throws(NodeFailure) {
        guard count <= reader.remaining / size else {
            throw NodeFailure(
                .malformedInput, "'\(name)' declares \(count) entries; its box has room for \(reader.remaining / size)")
        }
    }
}
