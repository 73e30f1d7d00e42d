import SluiceAV
import SluiceCore
import Testing

@Suite(.enabled(if: Tool.isPresent)) struct FormatReaderSeekTests {
    private func keyTimes(_ path: String) throws -> [Int64] {
        try Tool.probe(path).packets.filter { $0.stream_index == 0 && $0.flags.contains("K") }.compactMap(\.pts)
    }

    private func firstVideo(_ reader: inout FormatReader) throws -> Packet? {
        while let packet = try reader.readPacket() { if packet.stream.index == 0 { return packet } }
        return nil
    }

    /// PF-26: Matroska and MP4 land on a known key exactly; MP4 is asked on its decode axis.
    @Test func backwardSeekLandsOnTheKeyAtOrBeforeTheTarget() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get()] {
            let keys = try keyTimes(path)
            #expect(keys.count == 6)
            var reader = try FormatReader(source: try MemorySource(contentsOf: path))
            for (index, key) in keys.enumerated().reversed() {
                try reader.seek(stream: StreamID(0), toTicks: key)
                let exact = try #require(try firstVideo(&reader))
                #expect(exact.presentationTicks == key && exact.isKeyframe)
                let between = index + 1 < keys.count ? (key + keys[index + 1]) / 2 : key + 10
                try reader.seek(stream: StreamID(0), toTicks: between)
                #expect(try firstVideo(&reader)?.presentationTicks == key)
            }
        }
    }

    @Test func exactSeekStartsAtThePlannedKey() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get()] {
            let keys = try keyTimes(path)
            var reader = try FormatReader(source: try MemorySource(contentsOf: path))
            try reader.seek(stream: StreamID(0), toTicks: keys[3], .exact)
            let packet = try #require(try firstVideo(&reader))
            #expect(packet.isKeyframe)
            #expect(packet.presentationTicks == keys[3])
        }
    }

    /// PF-25: a transport stream answers with success and lands between keys.
    @Test func transportSeekMayLandBetweenKeys() throws {
        let path = try Sample.transport.get()
        let keys = try keyTimes(path)
        var reader = try FormatReader(source: try MemorySource(contentsOf: path))
        try reader.seek(stream: StreamID(0), toTicks: keys[2])
        let landed = try #require(try firstVideo(&reader))
        #expect(abs(try #require(landed.presentationTicks) - keys[2]) < 2 * 90_000, "within a group of pictures")
        // Backing off by a group and scanning forward finds the wanted key.
        try reader.seek(stream: StreamID(0), toTicks: keys[2] - 3 * 90_000)
        var found = false
        while let packet = try firstVideo(&reader) {
            if packet.isKeyframe, packet.presentationTicks == keys[2] { found = true; break }
            if packet.presentationTicks ?? 0 > keys[2] + 90_000 { break }
        }
        #expect(found)
    }

    @Test func byteSeekReachesTheMiddleOfATransportStream() throws {
        let path = try Sample.transport.get()
        let bytes = try Sample.bytes(path)
        var reader = try FormatReader(source: MemorySource(bytes))
        try reader.seek(toByte: Int64(bytes.count / 2))
        let position = try #require(try firstVideo(&reader)?.filePosition)
        #expect(position >= Int64(bytes.count / 2) && position < Int64(bytes.count * 3 / 4))
    }

    /// PF-27: MP4 has its index after opening, on the decode axis.
    @Test func mp4IndexIsCompleteAfterOpening() throws {
        let path = try Sample.mp4.get()
        let packets = try Tool.probe(path).packets.filter { $0.stream_index == 0 }
        let reader = try FormatReader(source: try MemorySource(contentsOf: path))
        let index = reader.index(of: StreamID(0))
        #expect(index.count == packets.count)
        #expect(index.map(\.ticks) == packets.compactMap(\.dts))
        #expect(index.map { String($0.size) } == packets.map(\.size))
        #expect(index.map { String($0.position) } == packets.compactMap(\.pos))
        let keys = reader.keyframeIndex(StreamID(0))
        #expect(keys.map(\.ticks) == packets.filter { $0.flags.contains("K") }.compactMap(\.dts))
        #expect(!keys.contains { !$0.isKeyframe })
        #expect(reader.index(of: StreamID(7)) == [])
    }

    /// PF-27: Matroska reads its cues at the first seek, on the presentation axis.
    @Test func matroskaIndexIsCompleteAfterTheCuesWereRead() throws {
        let path = try Sample.matroska.get()
        var reader = try FormatReader(source: try MemorySource(contentsOf: path))
        #expect(reader.keyframeIndex(StreamID(0)).count <= 1)
        try reader.loadIndex()
        #expect(try reader.keyframeIndex(StreamID(0)).map(\.ticks) == keyTimes(path))
        #expect(try firstVideo(&reader)?.presentationTicks == keyTimes(path).first)
    }

    @Test func absurdTargetsAreAnsweredNotTrapped() throws {
        for path in try [Sample.matroska.get(), Sample.mp4.get(), Sample.transport.get()] {
            var reader = try FormatReader(source: try MemorySource(contentsOf: path))
            for target in [Int64.min, .max, -1, 1 << 62] {
                for mode in [SeekMode.backward, .forward, .exact] {
                    _ = try? reader.seek(stream: StreamID(0), toTicks: target, mode)
                    _ = try? reader.readPacket()
                }
            }
            #expect(throws: NodeFailure.self) { try reader.seek(stream: StreamID(42), toTicks: 0) }
            try reader.rewind()
            #expect(try reader.readPacket() != nil)
        }
    }
}
