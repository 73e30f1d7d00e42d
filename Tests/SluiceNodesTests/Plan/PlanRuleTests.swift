import SluiceBitstream
import SluiceCore
import Testing

@testable import SluiceNodes

struct PlanRuleTests {
    // MARK: - Rates

    /// Two-second segments of 1, 1, 4 and 1 Mbit; runs of 2 to 6 s count (RFC 8216 §4.1 with a target of 4 s).
    @Test func thePeakIsTheLargestRunOfAnAllowedLength() {
        let bits: [Int64] = [1, 1, 4, 1]
        let rates = RateRule.rates(
            bytes: bits.map { $0 * 125_000 }, durations: [Int64](repeating: 2_000_000_000, count: 4),
            target: 4_000_000_000)
        #expect(rates == RateRule.Rates(peak: 2_000_000, average: 875_000))
    }

    @Test func shortRunsDoNotCountAlone() {
        // A sliver of 0.1 s with 1 Mbit would be 10 Mbit/s; with its neighbour it is 2 Mbit in 4.1 s.
        let rates = RateRule.rates(
            bytes: [125_000, 125_000], durations: [100_000_000, 4_000_000_000], target: 4_000_000_000)
        #expect(rates?.peak == 487_805)
    }

    // MARK: - Anchors

    private func rule(_ access: AnchorRule.Access, isIndexed: [Bool] = [true, true, true, true]) -> AnchorRule {
        AnchorRule(
            access: access, stream: StreamID(0), timebase: .milliseconds,
            points: (0..<4).map { number in
                AnchorRule.Point(
                    time: Int64(number) * 4_000_000_000, ordinal: UInt32(number) * 100,
                    seekTicks: Int64(number) * 4_000,
                    position: Int64(number) * 10_000, isIndexed: isIndexed[number])
            })
    }

    @Test func aMovieIsEnteredAtTheKeyItself() {
        let anchor = rule(.exactIndex).anchor(opening: 2, need: .init(ordinal: 150, soundTime: 7_000_000_000))
        #expect(anchor == .index(stream: StreamID(0), ticks: 8_000))
    }

    @Test func matroskaIsEnteredEarlierWhereSoundPrecedesTheKey() {
        let matroska = rule(.placedIndex)
        #expect(
            matroska.anchor(opening: 2, need: .init(ordinal: 200, soundTime: 8_001_000_000))
                == .index(stream: StreamID(0), ticks: 8_000))
        // In the file before the key.
        #expect(
            matroska.anchor(opening: 2, need: .init(ordinal: 199, soundTime: 8_001_000_000))
                == .index(stream: StreamID(0), ticks: 4_000))
        // Stamped a millisecond before it: the demuxer would skip it.
        #expect(
            matroska.anchor(opening: 2, need: .init(ordinal: 201, soundTime: 7_999_000_000))
                == .index(stream: StreamID(0), ticks: 4_000))
    }

    @Test func keysWithoutACueAreNoPlaceToEnter() {
        let sparse = rule(.placedIndex, isIndexed: [true, false, true, false])
        #expect(
            sparse.anchor(opening: 3, need: .init(ordinal: 300, soundTime: nil))
                == .index(stream: StreamID(0), ticks: 8_000))
        #expect(
            sparse.anchor(opening: 1, need: .init(ordinal: 100, soundTime: nil))
                == .index(stream: StreamID(0), ticks: 0))
    }

    @Test func streamsWithoutAnIndexAreEnteredAGroupEarlier() {
        #expect(rule(.bytes).anchor(opening: 3, need: .init(ordinal: 300, soundTime: nil)) == .byte(20_000))
        #expect(rule(.bytes).anchor(opening: 1, need: .init(ordinal: 100, soundTime: nil)) == .head)
        #expect(rule(.none).anchor(opening: 3, need: .init(ordinal: 300, soundTime: nil)) == .head)
    }

    // MARK: - Pictures

    @Test(
        arguments: [
            ([0x65, 0x88], PictureKind.idr), ([0x41, 0x9A], .dependent), ([0x67, 0x42], .dependent),
        ] as [([UInt8], PictureKind)])
    func picturesAreToldFromTheirFirstSlice(unit: [UInt8], wanted: PictureKind) {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)
        for sample in [[0, 0, 0, UInt8(unit.count)] + unit, [0, 0, 0, 1] + unit, [0, 0, 1] + unit] {
            var inspector = PictureInspector(format)
            #expect(sample.withUnsafeBytes { inspector.look($0, isFlagged: false) } == wanted)
        }
    }

    /// `recovery_frame_cnt` 0 is coded as one bit 1: payload type 6, size 1, 0x84 (H.264 §D.1.8), then a P slice.
    @Test func aRecoveryPointIsARandomAccessPoint() {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)
        let sample: [UInt8] = [0, 0, 0, 1, 0x06, 0x06, 0x01, 0x84, 0x80, 0, 0, 1, 0x41, 0x9A, 0x20]
        var inspector = PictureInspector(format)
        #expect(sample.withUnsafeBytes { inspector.look($0, isFlagged: false) } == .recoveryPoint)
    }

    /// A unit of 259 bytes has the length 00 00 01 03, which begins like a start code (behaviours RP-23).
    @Test func lengthsThatLookLikeStartCodesAreLengths() {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)
        let sample: [UInt8] = [0, 0, 1, 3, 0x65] + [UInt8](repeating: 0x55, count: 258)
        var inspector = PictureInspector(format)
        #expect(sample.withUnsafeBytes { inspector.look($0, isFlagged: true) } == .idr)
        #expect(inspector.framing == .lengthPrefixed(4))
    }

    @Test func repeatedParameterSetsChangeNothingAndOthersReplaceThem() {
        let (sps, pps): ([UInt8], [UInt8]) = ([0x67, 1], [0x68, 2])
        let held = ParameterSetRule.merged([], with: [sps, pps], codec: .h264)
        #expect(ParameterSetRule.merged(held, with: [pps, sps], codec: .h264) == held)
        #expect(ParameterSetRule.merged(held, with: [], codec: .h264) == held)
        #expect(
            ParameterSetRule.merged(held, with: [[0x67, 9], [0x68, 8]], codec: .h264) == [[0x67, 9], [0x68, 8]])
    }

    // MARK: - Route

    @Test(
        arguments: [
            ("h264", Route.Means.copy), ("hevc", .copy), ("av1", .copy), ("vp9", .copy), ("mpeg2video", .encode),
            ("vc1", .encode),
        ] as [(CodecName, Route.Means)])
    func picturesAreCopiedWhereFragmentsCarryThem(codec: CodecName, wanted: Route.Means) {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: codec, timebase: .mpeg)
        #expect(RoutePolicy.route([format]).video?.means == wanted)
    }

    @Test(
        arguments: [
            ("aac", Route.Means.copy), ("eac3", .copy), ("opus", .copy), ("flac", .copy), ("dts", .bridge),
            ("truehd", .bridge), ("pcm_s16le", .bridge),
        ] as [(CodecName, Route.Means)])
    func soundIsCopiedWhereFragmentsCarryIt(codec: CodecName, wanted: Route.Means) {
        var format = StreamFormat(id: StreamID(0), type: .audio, codec: codec, timebase: .mpeg)
        format.audio = AudioFormat(sampleRate: 48_000, channels: 2)
        #expect(RoutePolicy.route([format]).audio.map(\.means) == [wanted])
    }

    @Test func whatTheClientCannotPlayIsEncoded() {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "hevc", timebase: .mpeg)
        let route = RoutePolicy.route([format], capabilities: ClientCapabilities(codecs: ["h264", "aac"]))
        #expect(route.video?.means == .encode)
        #expect(route.copied.video == nil)
    }

    // MARK: - Archive

    @Test func damagedArchivesAreRefusedWhole() {
        var facts = TitleFacts(formatName: "mpegts", streams: [], origin: Timestamp(126_000, .mpeg))
        facts.identity = "a"
        facts.framings = [StreamID(0): .annexB]
        facts.versions = [ParameterVersion(configuration: [1, 2, 3], width: 320, height: 180)]
        var segment = PlannedSegment(start: 0, decodeStart: -3_003, anchor: .byte(188))
        segment.kind = .cra
        segment.tracks = [PlannedTrack()]
        let plan = TitlePlan(basis: .scan, timescale: 24_000, segments: [segment], end: 96_096, isProvisional: false)
        let bytes = PlanArchive.encode(facts, plan)

        let back = PlanArchive.decode(bytes)
        #expect(back?.0 == facts)
        #expect(back?.1 == plan)
        for length in 0..<bytes.count { #expect(PlanArchive.decode(Array(bytes.prefix(length))) == nil) }
        #expect(PlanArchive.decode(bytes + [0]) == nil)
    }
}
