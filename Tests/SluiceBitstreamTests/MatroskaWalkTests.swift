import SluiceBitstream
import Testing

/// Clusters made by hand, from RFC 9559.
@Suite struct MatroskaWalkTests {
    /// An element with a length of as few bytes as hold it.
    private func element(_ id: [UInt8], _ payload: [UInt8]) -> [UInt8] {
        payload.count < 127
            ? id + [0x80 | UInt8(payload.count)] + payload
            : id + [0x40 | UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
    }

    private func cluster(_ payload: [UInt8]) -> [UInt8] { element([0x1F, 0x43, 0xB6, 0x75], payload) }
    private func time(_ time: UInt8) -> [UInt8] { element([0xE7], [time]) }
    private func block(_ track: UInt8, _ distance: UInt8, _ flags: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        element([0xA3], [0x80 | track, 0, distance, flags] + bytes)
    }

    private func walk(_ bytes: [UInt8]) -> [MatroskaClusterWalk.Step] {
        var walk = MatroskaClusterWalk(
            position: 0, end: Int64(bytes.count), numbers: [1, 2], isWanted: [true, false])
        var steps: [MatroskaClusterWalk.Step] = []
        return bytes.withUnsafeBytes { bytes in
            while true {
                let step = walk.next(bytes, at: 0)
                steps.append(step)
                guard case .block = step else { return steps }
            }
        }
    }

    private func isForeign(_ bytes: [UInt8]) -> Bool {
        if case .foreign = walk(bytes).last { return true }
        return false
    }

    @Test func blocksOfWantedTracksComeWithTheirTimes() {
        let bytes =
            cluster(time(10) + block(1, 0, 0x80, [1, 2, 3]) + block(2, 5, 0x80, [9]) + block(1, 40, 0, [4]))
            + element([0x12, 0x54, 0xC3, 0x67], [0]) + cluster(element([0xAB], [7]) + time(90) + block(1, 1, 0, [5]))
        let blocks = walk(bytes).compactMap { step in
            if case .block(let block) = step { return block }
            return nil
        }
        #expect(blocks.map(\.time) == [10, 50, 91])
        #expect(blocks.map(\.isKeyframe) == [true, false, false])
        let payloads = blocks.map { Array(bytes[Int($0.payload.lowerBound)..<Int($0.payload.upperBound)]) }
        #expect(payloads == [[1, 2, 3], [4], [5]])
        #expect(blocks.map(\.position) == blocks.map { $0.payload.lowerBound - 4 })
        #expect(walk(bytes).last == .end)
    }

    @Test func groupsSayHowLongAndWhetherOthersAreNeeded() {
        let inner = element([0xA1], [0x81, 0, 3, 0, 7])
        let bytes = cluster(
            time(1) + element([0xA0], inner + element([0x9B], [40]))
                + element([0xA0], element([0xFB], [0xFF]) + inner))
        let steps = walk(bytes)
        guard case .block(let first) = steps[0], case .block(let second) = steps[1] else {
            Issue.record("\(steps)")
            return
        }
        #expect(first.duration == 40 && first.isKeyframe && first.time == 4)
        #expect(second.duration == 0 && !second.isKeyframe)
    }

    @Test func whatIsNotUnderstoodIsForeign() {
        let plain = block(1, 0, 0, [1])
        #expect(isForeign(cluster(plain)), "no timestamp")
        #expect(isForeign(cluster(time(1) + time(2) + plain)), "two timestamps")
        #expect(isForeign(cluster(time(1) + block(3, 0, 0, [1]))), "a track that is not listed")
        #expect(isForeign(cluster(time(1) + element([0xA3], [0x81, 0xFF, 0, 0, 1]))), "before the start")
        #expect(isForeign([0x1F, 0x43, 0xB6, 0x75, 0xFF] + time(1) + plain), "unknown length")
        #expect(isForeign(cluster(time(1) + element([0x58, 0x54], [1]))), "silent tracks")
        #expect(isForeign(cluster(time(1) + plain.dropLast(1))), "a block beyond its cluster")
        #expect(isForeign(cluster(time(1) + plain) + [0x42, 0x86, 0x81]), "no such element")
        let discards = element([0xA1], [0x81, 0, 3, 0, 7]) + element([0x75, 0xA2], [1])
        #expect(isForeign(cluster(time(1) + element([0xA0], discards))), "padding to be discarded")
        let other = element([0xA1], [0x82, 0, 3, 0, 7]) + element([0x75, 0xA2], [1])
        #expect(walk(cluster(time(1) + element([0xA0], other))).last == .end, "of a track that nobody wants")
    }

    @Test func asksForWhatItNeeds() {
        let bytes = cluster(time(10) + block(1, 0, 0x80, Array(repeating: 1, count: 100)))
        var walk = MatroskaClusterWalk(position: 0, end: Int64(bytes.count), numbers: [1], isWanted: [true])
        var shown = 0..<0
        var asked: [Int] = []
        loop: while asked.count < 20 {
            let step = bytes.withUnsafeBytes {
                walk.next(UnsafeRawBufferPointer(rebasing: $0[shown]), at: Int64(shown.lowerBound))
            }
            switch step {
            case .need(let count):
                asked.append(count)
                shown = Int(walk.position)..<(Int(walk.position) + count)
            case .block(let block): #expect(block.payload.count == 100)
            default: break loop
            }
        }
        #expect(asked.max() == 106 && asked.count <= 6)
    }

    @Test(arguments: [
        (MatroskaLacing.xiph, [2, 255, 1, 3] + Array(repeating: UInt8(9), count: 264), [256, 3, 5]),
        (.fixed, [2, 1, 1, 2, 2, 3, 3], [2, 2, 2]),
        (.ebml, [2, 0x83, 0xC0, 1, 1, 1, 2, 2, 2, 2, 3], [3, 4, 1]),
    ])
    func lacesAreTakenApart(lacing: MatroskaLacing, bytes: [UInt8], sizes: [Int]) {
        let frames = bytes.withUnsafeBytes { lacing.frames($0) }
        #expect(frames?.map(\.count) == sizes)
        #expect(frames?.last?.upperBound == bytes.count)
        let cut = bytes.dropLast(sizes.last ?? 0)
        #expect(Array(cut).withUnsafeBytes { lacing.frames($0) } == nil)
    }

    @Test func headersNameTracks() throws {
        let audio = element([0xE1], element([0xB5], [0x47, 0x3B, 0x80, 0]))
        let first = element([0xD7], [1]) + element([0x83], [1]) + element([0x86], Array("V_AV1".utf8) + [0])
        let second =
            element([0xD7], [2]) + element([0x83], [2]) + element([0x86], Array("A_AC3".utf8)) + audio
            + element([0x6D, 0x80], [])
        let tracks = element([0xAE], first) + element([0xAE], second)
        let info = element([0x2A, 0xD7, 0xB1], [0x0F, 0x42, 0x40])
        func header(_ tracks: [UInt8]) -> MatroskaHeader? {
            info.withUnsafeBytes { info in tracks.withUnsafeBytes { MatroskaHeader(info: info, tracks: $0) } }
        }
        let found = try #require(header(tracks))
        #expect(found.timestampScale == 1_000_000 && found.tracks.map(\.codecID) == ["V_AV1", "A_AC3"])
        #expect(found.tracks.map(\.isPlain) == [true, false] && found.tracks[1].samplingFrequency == 48_000)
        #expect(header(Array(tracks.dropLast())) == nil && header([]) == nil)
        #expect(header(element([0xAE], first) + element([0xAE], first)) == nil, "one number twice")
    }
}
