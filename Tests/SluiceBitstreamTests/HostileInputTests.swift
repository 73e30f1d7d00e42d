import SluiceBitstream
import SluiceCore
import Testing

/// Damaged bytes must give failures or nil: a trap ends the process and with it the test run.
@Suite struct HostileInputTests {
    /// A small linear congruential generator: the same damage on every run.
    private struct Noise: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    private static func damage(_ bytes: [UInt8], _ noise: inout Noise) -> [UInt8] {
        var copy = bytes
        for _ in 0..<Int.random(in: 1...6, using: &noise) where !copy.isEmpty {
            let index = Int.random(in: 0..<copy.count, using: &noise)
            switch Int.random(in: 0..<5, using: &noise) {
            case 0: copy[index] = UInt8.random(in: 0...255, using: &noise)
            case 1: copy[index] = [0, 0xFF, 0x80, 0x7F].randomElement(using: &noise) ?? 0
            case 2: copy.removeLast(min(copy.count, Int.random(in: 0...16, using: &noise)))
            case 3: copy.insert(UInt8.random(in: 0...255, using: &noise), at: index)
            default: copy.remove(at: index)
            }
        }
        return copy
    }

    private static func everyParser(_ bytes: [UInt8]) {
        _ = try? BoxTree.parse(bytes)
        _ = try? InitializationContents(bytes)
        _ = try? FragmentContents.all(in: bytes)
        _ = try? HEVCConfigurationRecord(bytes).normalized().bytes
        _ = try? AVCConfigurationRecord(bytes).bytes
        _ = AudioSpecificConfig(bytes).map { ($0.bytes, $0.channels, $0.outputFrameSamples) }
        _ = ADTSHeader(bytes)
        _ = AC3Frame(bytes).map { ($0.configuration, $0.frameSize, $0.bitRate, $0.sampleRate) }
        _ = EAC3Configuration(bytes)?.bytes
        _ = FLACStreamInfo(bytes)
        _ = OpusConfiguration(head: bytes)?.bytes
        _ = OpusConfiguration(box: bytes)?.bytes
        _ = ALACConfiguration(bytes)
        _ = MPEGAudioHeader(bytes)
        _ = (CodecString.avc(bytes), CodecString.hevc(bytes), CodecString.av1(bytes), CodecString.vp9(bytes))
        _ = HEVCConfigurationRecord(parameterSets: [bytes])?.bytes
        _ = AVCConfigurationRecord(sequenceSets: [bytes], pictureSets: [bytes])?.bytes
        bytes.withUnsafeBytes { buffer in
            _ = ADTSHeader.payloads(in: buffer)
            _ = OpusPacket.samples(buffer)
            _ = OBUs.isKeyFrame(buffer)
            _ = AV1SequenceHeader(buffer)
            _ = VP9FrameHeader(buffer)?.configuration()
            for framing in [NALFraming.annexB, .lengthPrefixed(4), .lengthPrefixed(1)] {
                _ = RandomAccess.h264(buffer, framing: framing)
                _ = RandomAccess.hevc(buffer, framing: framing)
            }
            _ = NALFraming.measure(buffer)
            _ = H264SliceHeader.pictureParametersID(buffer)
            _ = HEVCSliceHeader.pictureParametersID(buffer)
        }
        if let sps = H264SequenceParameters(bytes), let pps = H264PictureParameters(hex("68CE3880")) {
            _ = hex("6588840021FFFE").withUnsafeBytes { H264SliceHeader($0, sequence: sps, picture: pps) }
        }
        if let sps = HEVCSequenceParameters(bytes), let pps = HEVCPictureParameters(hex("4401C172B46240")) {
            _ = hex("0201D00C").withUnsafeBytes { HEVCSliceHeader($0, sequence: sps, picture: pps) }
        }
    }

    private static let seeds: [[UInt8]] = {
        var list: [[UInt8]] = [
            // Parameter sets of x264 and x265, a sequence header of libaom.
            hex("6764001EACD940A02FF9610000030001000003003C8F162D96"), hex("68EBECB22C"),
            hex("420101016000000300900000030000030 05DA00A080C1F2E5AEE4C92EA520A0C0C05DA14250000030001000003001E08"),
            hex("40010C01FFFF01600000030090000003000003005D9598 09"), hex("4401C172B46240"),
            hex("0A0B00000004 3C FFBFF7FBCC40"), hex("824983420013F00B7600"), hex("FFF150802E7FFC2110"),
            hex("2B118800"), hex("EB8A0800"), hex("0B77A3F01E40E1FF"),
            Array(EAC3Frames.coreWithHeights.prefix(64) + EAC3Frames.independent(complexity: 16).prefix(64)),
            Array("OpusHead".utf8) + hex("01 06 3801 80BB0000 FEFF 01 04 02 000401020503"),
            hex("664C6143 00000022 1200 1200 000010 002000 0BB802F0 00000000") + [UInt8](repeating: 1, count: 16),
            hex("00000024616C616300000000 00001000 00 10 280A0E 02 00FF 00000000 00000000 0000BB80"),
        ]
        let record = hex("01640028FFE10004 67640028 01 0002 68EE")
        var video = VideoSampleEntry(codec: .avc(record), width: 16, height: 16)
        video.color = .bt709
        let tracks = [
            TrackDescription(id: 1, timescale: 1_000, entry: .video(video)),
            TrackDescription(
                id: 2, timescale: 48_000,
                entry: .audio(.init(codec: .mp4a([0x11, 0x90]), sampleRate: 48_000, channels: 2))),
        ]
        if let bytes = try? InitializationSection(tracks: tracks).bytes() { list.append(bytes) }
        let samples = (0..<4).map { index in
            FragmentSample(
                duration: UInt32(index), compositionOffset: -1, isSync: index == 0, chunks: [ByteChunk([1, 2, 3])])
        }
        let fragment = TrackFragment(trackID: 1, decodeTime: 1 << 40, samples: samples)
        if let bytes = try? FragmentBuilder.segment(index: 1, tracks: [fragment]).joined() { list.append(bytes) }
        return list
    }()

    @Test func parsersSurviveDamage() {
        #expect(Self.seeds.count == 17)
        var noise = Noise(state: 7)
        for seed in Self.seeds {
            for length in 0...min(seed.count, 200) { Self.everyParser(Array(seed.prefix(length))) }
            for _ in 0..<400 { Self.everyParser(Self.damage(seed, &noise)) }
        }
        for _ in 0..<500 {
            let count = Int.random(in: 0..<64, using: &noise)
            Self.everyParser((0..<count).map { _ in UInt8.random(in: 0...255, using: &noise) })
        }
    }

    /// Whatever can be read can be written, and reads the same again.
    @Test func playlistsThatParseAreStable() throws {
        let media =
            "#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:3\n"
            + "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=12.0004\n#EXT-X-START:TIME-OFFSET=-4.5\n"
            + "#EXT-X-MAP:URI=\"i\u{7F}\",BYTERANGE=\"7@9\"\n#EXT-X-KEY:METHOD=A B,URI=\"k\"\n"
            + "#EXT-X-PROGRAM-DATE-TIME:2020-02-29T23:59:59.9999+05:30\n"
            + "#EXTINF:3.99999949,a \t b \u{85}\n#EXT-X-BYTERANGE:5@1\na b\n"
            + "#EXT-X-DISCONTINUITY\n#EXTINF:0.0000005,\n#EXT-X-GAP\nb\n#EXT-X-ENDLIST\n"
        let master = MultivariantPlaylistTests.sample().text
        var noise = Noise(state: 11)
        var parsed = 0
        for seed in [media, master] {
            for round in 0..<3_000 {
                let bytes = round == 0 ? Array(seed.utf8) : Self.damage(Array(seed.utf8), &noise)
                guard let first = try? PlaylistDocument(bytes) else { continue }
                parsed += 1
                let text =
                    switch first {
                    case .media(let playlist): playlist.text
                    case .multivariant(let playlist): playlist.text
                    }
                let second = try PlaylistDocument(text: text)
                #expect(first == second, "\(String(decoding: bytes, as: UTF8.self))")
                if first != second { return }
            }
        }
        #expect(parsed > 1_000)
    }
}
