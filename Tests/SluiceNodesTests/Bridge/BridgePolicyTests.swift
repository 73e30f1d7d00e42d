import SluiceAV
import SluiceBitstream
import SluiceCore
import Testing

@testable import SluiceNodes

/// Which sounds are copied, bridged or refused, and to what.
@Suite struct BridgePolicyTests {
    private static func format(
        _ codec: CodecName, _ layout: String, _ rate: Int = 48_000, bits: Int? = nil, profile: Int? = nil
    ) -> StreamFormat {
        var format = StreamFormat(id: StreamID(1), type: .audio, codec: codec, timebase: .milliseconds)
        var audio = AudioFormat(sampleRate: rate, channels: AudioCodecs.channels(of: layout).count)
        audio.layout = layout
        audio.bitsPerSample = bits
        format.audio = audio
        format.profile = profile
        return format
    }

    private static let chromium: Set<CodecName> = ["h264", "aac", "flac", "opus"]
    private static let apple: Set<CodecName> = ["h264", "aac", "ac3", "eac3", "alac", "flac", "mp3"]
    private static let plain: Set<CodecName> = ["h264", "aac"]

    private struct Case {
        var codec: CodecName
        var layout: String
        var client: Set<CodecName>
        var mode: BridgeMode
        var wanted: SoundDelivery
    }

    private static let cases: [Case] = [
        Case(codec: "ac3", layout: "5.1(side)", client: apple, mode: .surround, wanted: .copy),
        Case(codec: "ac3", layout: "5.1(side)", client: chromium, mode: .surround, wanted: .bridge(.flac)),
        Case(codec: "ac3", layout: "5.1(side)", client: plain, mode: .surround, wanted: .bridge(.aac)),
        Case(codec: "dts", layout: "5.1(side)", client: apple, mode: .surround, wanted: .bridge(.eac3)),
        Case(codec: "dts", layout: "stereo", client: apple, mode: .surround, wanted: .bridge(.flac)),
        Case(codec: "dts", layout: "mono", client: apple, mode: .surround, wanted: .bridge(.flac)),
        Case(codec: "dts", layout: "5.1(side)", client: apple, mode: .lossless, wanted: .bridge(.flac)),
        Case(codec: "dts", layout: "5.1(side)", client: apple, mode: .aac, wanted: .bridge(.aac)),
        Case(codec: "truehd", layout: "7.1", client: chromium, mode: .lossless, wanted: .bridge(.flac)),
        Case(codec: "wmapro", layout: "2.1", client: apple, mode: .surround, wanted: .bridge(.eac3)),
        Case(codec: "pcm_s16le", layout: "stereo", client: plain, mode: .lossless, wanted: .bridge(.aac)),
        Case(codec: "opus", layout: "stereo", client: apple, mode: .surround, wanted: .bridge(.flac)),
        Case(codec: "ac4", layout: "stereo", client: apple, mode: .surround, wanted: .refused),
    ]

    @Test func everySoundIsCopiedBridgedOrRefused() {
        for entry in Self.cases {
            let format = Self.format(entry.codec, entry.layout)
            let copies = RoutePolicy.route([format]).audio.first?.means == .copy
            let found = BridgePolicy.delivery(
                format, copies: copies, client: ClientCapabilities(codecs: entry.client), mode: entry.mode)
            #expect(found.delivery == entry.wanted, "\(entry.codec) \(entry.layout) \(entry.mode): \(found.reason)")
            #expect(!found.reason.isEmpty)
        }
    }

    @Test func whatHasNoDecoderOrIsEncryptedSaysSo() {
        #expect(BridgePolicy.refusal(Self.format("ac4", "stereo"))?.contains("no decoder") == true)
        var sealed = Self.format("dts", "stereo")
        sealed.isEncrypted = true
        #expect(BridgePolicy.refusal(sealed)?.contains("encrypted") == true)
        #expect(BridgePolicy.refusal(Self.format("dts", "stereo")) == nil)
        var nameless = Self.format("pcm_s16le", "stereo")
        nameless.audio?.layout = nil
        nameless.audio?.channels = 9
        #expect(BridgePolicy.refusal(nameless)?.contains("9 channels") == true)
        #expect(RoutePolicy.route([Self.format("ac4", "stereo")]).audio.map(\.means) == [.none])
    }

    /// Behaviours AB-04, AX-01: 128 kbit/s a channel in E-AC-3, FLAC without a rate.
    @Test func rateAndLayoutFollowTheChannels() {
        let surround = BridgePolicy.settings(Self.format("dts", "5.1(side)"), .eac3)
        #expect(surround.bitRate == 768_000)
        #expect(surround.layout == "5.1(side)")
        #expect(surround.sampleFormat == "fltp")
        let stereo = BridgePolicy.settings(Self.format("mp2", "stereo"), .eac3)
        #expect(stereo.bitRate == 256_000)
        let lossless = BridgePolicy.settings(Self.format("mp2", "stereo"), .flac)
        #expect(lossless.bitRate == 0)
        #expect(lossless.sampleFormat == "s16")
    }

    private struct LayoutCase {
        var source: String
        var codec: BridgeCodec
        var wanted: String
        init(_ source: String, _ codec: BridgeCodec, _ wanted: String) {
            self.source = source
            self.codec = codec
            self.wanted = wanted
        }
    }

    private static let layoutCases: [LayoutCase] = [
        LayoutCase("5.1(side)", .eac3, "5.1(side)"), LayoutCase("5.1", .eac3, "5.1"),
        LayoutCase("7.1", .eac3, "5.1(side)"), LayoutCase("6.1", .eac3, "5.1(side)"),
        LayoutCase("2.1", .eac3, "2.1"), LayoutCase("5.1(side)", .flac, "5.1"), LayoutCase("7.1", .flac, "7.1"),
        LayoutCase("6.1", .flac, "6.1"), LayoutCase("2.1", .flac, "5.1"), LayoutCase("3.1", .flac, "5.1"),
        LayoutCase("4.0", .flac, "6.1"), LayoutCase("quad(side)", .flac, "quad"),
        LayoutCase("downmix", .flac, "stereo"), LayoutCase("7.1", .aac, "5.1"),
        LayoutCase("5.0(side)", .aac, "5.0"), LayoutCase("mono", .aac, "mono"),
    ]

    @Test func theSmallestLayoutWithRoomForAllIsTaken() {
        for entry in Self.layoutCases {
            let found = BridgePolicy.settings(Self.format("dts", entry.source), entry.codec).layout
            #expect(found == entry.wanted, "\(entry.source) to \(entry.codec)")
        }
    }

    @Test func unnamedChannelsAreTakenByTheirNumber() {
        var format = Self.format("pcm_s16le", "stereo")
        format.audio?.layout = nil
        let wanted: [Int: String] = [0: "stereo", 1: "mono", 2: "stereo", 6: "5.1", 8: "7.1", 16: "7.1"]
        for (channels, layout) in wanted {
            format.audio?.channels = channels
            let found = BridgePolicy.settings(format, .flac).layout
            #expect(found == layout, "\(channels)")
        }
    }

    private struct RateCase {
        var source: Int
        var codec: BridgeCodec
        var wanted: Int
        init(_ source: Int, _ codec: BridgeCodec, _ wanted: Int) {
            self.source = source
            self.codec = codec
            self.wanted = wanted
        }
    }

    private static let rateCases: [RateCase] = [
        RateCase(96_000, .eac3, 48_000), RateCase(88_200, .eac3, 44_100), RateCase(44_100, .eac3, 44_100),
        RateCase(22_050, .eac3, 44_100), RateCase(16_000, .eac3, 32_000), RateCase(8_000, .aac, 8_000),
        RateCase(96_000, .aac, 48_000), RateCase(192_000, .flac, 192_000), RateCase(352_800, .flac, 176_400),
        RateCase(11_025, .flac, 11_025),
    ]

    /// Behaviours AB-06: 96 kHz becomes 48 kHz where the encoder knows only that; FLAC keeps what it gets.
    @Test func ratesComeFromTheEncodersList() {
        for entry in Self.rateCases {
            let found = BridgePolicy.rate(entry.source, entry.codec)
            #expect(found == entry.wanted, "\(entry.source) to \(entry.codec)")
        }
    }

    private struct DepthCase {
        var codec: CodecName
        var bits: Int?
        var profile: Int?
        var wanted: Int
        init(_ codec: CodecName, _ bits: Int?, _ wanted: Int, profile: Int? = nil) {
            self.codec = codec
            self.bits = bits
            self.profile = profile
            self.wanted = wanted
        }
    }

    private static let depthCases: [DepthCase] = [
        DepthCase("dts", nil, 16, profile: 32), DepthCase("dts", 24, 24, profile: 60), DepthCase("truehd", 24, 24),
        DepthCase("truehd", 16, 16), DepthCase("mp2", nil, 16), DepthCase("pcm_s16le", 16, 16),
        DepthCase("pcm_s24le", 24, 24), DepthCase("pcm_f32le", 32, 24), DepthCase("pcm_u8", 8, 16),
        DepthCase("pcm_bluray", 24, 24), DepthCase("pcm_bluray", 16, 16), DepthCase("pcm_mulaw", 8, 16),
        DepthCase("alac", 24, 24), DepthCase("wavpack", nil, 24),
    ]

    @Test func bitsAreKept() {
        for entry in Self.depthCases {
            let format = Self.format(entry.codec, "stereo", bits: entry.bits, profile: entry.profile)
            let settings = BridgePolicy.settings(format, .flac)
            #expect(settings.bitsPerSample == entry.wanted, "\(entry.codec)")
            #expect(settings.sampleFormat == (entry.wanted > 16 ? "s32" : "s16"), "\(entry.codec)")
        }
    }

    /// What the initialization section says comes from the encoder.
    @Test func encodersDescribeWhatTheyMake() throws {
        let surround = try EncodedSound.look(BridgePolicy.settings(Self.format("dts", "5.1(side)"), .eac3))
        guard case .eac3(let record) = surround.entry.codec else {
            Issue.record("\(surround.entry)")
            return
        }
        // 768 kbit/s, one substream: 48 kHz, identifier 16, five channels and the low frequencies.
        #expect(record == [0x18, 0x00, 0x20, 0x0F, 0x00] as [UInt8])
        let first = [surround.frameSize, surround.padding, surround.entry.channels]
        #expect(first == [1_536, 256, 6])
        let flac = try EncodedSound.look(BridgePolicy.settings(Self.format("truehd", "7.1", bits: 24), .flac))
        let second = [flac.frameSize, flac.padding, flac.entry.channels, flac.entry.bitsPerSample]
        #expect(second == [4_096, 0, 8, 24])
        let aac = try EncodedSound.look(BridgePolicy.settings(Self.format("mp2", "stereo"), .aac))
        let third = [aac.frameSize, aac.padding, aac.entry.channels]
        #expect(third == [1_024, 1_024, 2])
    }
}
