import SluiceCore
import SluiceNodes
import Testing

@testable import Sluice

/// What clients play, and what is offered to them for it; without a server and without a file.
@Suite struct ClientCapabilityTests {
    // MARK: - Profiles

    @Test(
        arguments: [
            (.apple, ["h264", "hevc", "aac", "ac3", "eac3", "alac", "flac", "mp3"], ["vp9", "opus"]),
            (.chromium, ["h264", "vp9", "av1", "aac", "flac", "opus"], ["hevc", "ac3", "eac3", "alac", "mp3"]),
            (.firefox, ["h264", "hevc", "vp9", "av1", "aac", "flac", "opus"], ["ac3", "eac3", "alac", "mp3"]),
            (.android, ["h264", "hevc", "vp9", "av1", "aac", "flac", "opus", "mp3"], ["ac3", "eac3", "alac"]),
            (.generic, ["h264", "hevc", "vp9", "av1", "aac", "ac3", "eac3", "alac", "flac", "opus", "mp3"], []),
        ] as [(ClientProfile, [CodecName], [CodecName])])
    func profilesTakeWhatTheirClientsWereSeenToPlay(
        _ profile: ClientProfile, _ played: [CodecName], _ refused: [CodecName]
    ) {
        let option = CapabilityOption(profile)
        for codec in played { #expect(option.takes(codec), "\(codec)") }
        for codec in refused { #expect(!option.takes(codec), "\(codec)") }
        #expect(option.capabilities.codecs.isSubset(of: ClientCapabilities.everything.codecs))
    }

    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
    private static let blink = "AppleWebKit/537.36 (KHTML, like Gecko)"
    private static let agents: [(String, ClientProfile)] = [
        ("AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5_1 like Mac OS X; en_us)", .apple),
        ("AppleCoreMedia/1.0.0.23F79 (Macintosh; U; Intel Mac OS X 14_5; de_de)", .apple),
        ("AppleCoreMedia/1.0.0.22K154 (Apple TV; U; CPU OS 18_1 like Mac OS X; en_us)", .apple),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webKit) Version/17.5 Safari/605.1.15", .apple),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) \(webKit) Version/17.5 Mobile/15E148", .apple),
        ("Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) \(webKit) CriOS/126.0.0.0 Mobile/15E148", .apple),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) \(webKit) FxiOS/127.0 Mobile/15E148", .apple),
        ("Mozilla/5.0 (X11; Linux x86_64) \(blink) Chrome/126.0.0.0 Safari/537.36", .chromium),
        ("Mozilla/5.0 (X11; Linux x86_64) \(blink) HeadlessChrome/126.0.0.0 Safari/537.36", .chromium),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(blink) Chrome/126.0.0.0 Safari/537.36", .chromium),
        ("Mozilla/5.0 (Windows NT 10.0) \(blink) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0", .chromium),
        ("Mozilla/5.0 (Linux; Android 10; K) \(blink) Chrome/126.0.0.0 Mobile Safari/537.36", .chromium),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", .firefox),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0) Gecko/20100101 Firefox/128.0", .firefox),
        ("Mozilla/5.0 (Android 14; Mobile; rv:128.0) Gecko/128.0 Firefox/128.0", .firefox),
        ("MyApp/1.0 (Linux;Android 14) ExoPlayerLib/2.19.1", .android),
        ("MyApp/1.0 (Linux;Android 14) AndroidXMedia3/1.3.1", .android),
        ("Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UQ1A)", .android),
        ("VLC/3.0.20 LibVLC/3.0.20", .generic), ("mpv 0.35.1", .generic), ("libmpv", .generic),
        ("Lavf/61.1.100", .generic), ("GStreamer souphttpsrc 1.22.0 libsoup/3.2.2", .generic),
        ("curl/8.5.0", .generic), ("okhttp/4.12.0", .generic), ("", .generic),
        ("Mozilla/5.0 (X11; Linux x86_64) \(webKit) Version/17.0 Safari/605.1.15", .generic),
        ("Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) \(blink) 94.0.4606.31/7.0 TV Chrome/94.0 Safari/537.36", .generic),
        ("Mozilla/5.0 (Web0S; Linux/SmartTV) \(blink) Chrome/94.0.4606.128 Safari/537.36 WebAppManager", .generic),
        ("Mozilla/5.0 (X11; Linux armv7l) \(blink) Chrome/90.0 Safari/537.36 CrKey/1.56.500000", .generic),
    ]

    @Test(arguments: agents) func clientsAreToldApartByTheirNames(_ agent: String, _ profile: ClientProfile) {
        #expect(ClientProfile(userAgent: agent) == profile, "\(agent)")
    }

    @Test func longAndBrokenNamesAreOfNobody() {
        let garbage = String(
            decoding: (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 131 ^ $0 >> 3) }, as: UTF8.self)
        #expect(ClientProfile(userAgent: garbage) == .generic)
        let late = String(repeating: "x", count: ClientProfile.agentLimit) + " Chrome/126.0"
        #expect(ClientProfile(userAgent: late) == .generic)
        // The limit may fall inside a character.
        let cut = String(repeating: "é", count: 255) + "xé"
        #expect(ClientProfile(userAgent: "Chrome/1 " + cut) == .chromium)
    }

    // MARK: - The option

    @Test func aListHasOneSpelling() throws {
        let option = try CapabilityOption("hevc+hdr10+ac3+dv+ac3")
        #expect(option.text == "ac3+dv+hdr10+hevc")
        #expect(option.capabilities.codecs == ["h264", "aac", "hevc", "ac3"])
        #expect(try CapabilityOption(option.text) == option)
    }

    @Test func aProfileCanBeWidened() throws {
        let option = try CapabilityOption("hevc+chromium")
        #expect(option.text == "chromium+hevc")
        #expect(option.takes("hevc") && option.takes("opus") && !option.takes("ac3"))
    }

    @Test func everyProfileIsAnOption() throws {
        for profile in ClientProfile.allCases {
            #expect(try CapabilityOption(profile.rawValue) == CapabilityOption(profile))
        }
    }

    @Test(
        arguments: [
            ("chromum", "did you mean 'chromium'?"), ("hvec", "did you mean 'hevc'?"), ("hevc+eac", "'eac'"),
            ("hdr", "expected a profile"), ("", "''"), ("hevc++ac3", "''"), ("+", "''"), ("Chromium", "'chromium'?"),
            ("h264 aac", "'h264 aac'"), ("dts", "is not known"), (String(repeating: "a", count: 257), "256 bytes"),
            (String(repeating: "+", count: 100_000), "256 bytes"),
        ])
    func unknownNamesAreRefused(_ text: String, _ expected: String) {
        do throws(NodeFailure) {
            _ = try CapabilityOption(text)
            Issue.record("'\(text.prefix(40))' is taken")
        } catch {
            #expect(error.code == .invalidOption)
            #expect(error.message.contains(expected), "\(error.message)")
            #expect(error.message.utf8.count < 400)
        }
    }

    @Test func optionsAreSortedAndTheLastOneCounts() throws {
        var options = try TitleOptions("shape=muxed,caps=hevc+ac3")
        #expect(options.text == "caps=ac3+hevc,shape=muxed")
        #expect(try TitleOptions(options.text) == options)
        try options.set("caps", "generic")
        #expect(options.text == "caps=generic,shape=muxed")
        #expect(try TitleOptions("").text == "")
        #expect(try TitleOptions("shape=renditions").with(.apple).text == "caps=apple,shape=renditions")
        for (text, hint) in [
            ("shpe=muxed", "'shape'"), ("shape=mixed", "'muxed'"), ("cap=apple", "'caps'"), ("caps", "is not known"),
            ("color=blue", "is not known"), (String(repeating: "x", count: 30_000) + "=1", "is not known"),
        ] {
            do throws(NodeFailure) {
                _ = try TitleOptions(text)
                Issue.record("'\(text.prefix(40))' is taken")
            } catch {
                #expect(error.code == .invalidOption && error.message.contains(hint), "\(error.message.prefix(250))")
                #expect(error.message.utf8.count < 400)
            }
        }
    }

    // MARK: - The offer

    private func facts(_ picture: CodecName?, _ sounds: CodecName...) -> TitleFacts {
        var streams: [StreamFormat] = []
        if let picture {
            streams.append(StreamFormat(id: StreamID(0), type: .video, codec: picture, timebase: .mpeg))
        }
        for codec in sounds {
            streams.append(StreamFormat(id: StreamID(streams.count), type: .audio, codec: codec, timebase: .mpeg))
        }
        var facts = TitleFacts(formatName: "matroska", streams: streams, origin: Timestamp(0, .mpeg))
        facts.video = picture.map { _ in StreamID(0) }
        facts.audio = streams.filter { $0.type == .audio }.map(\.id)
        return facts
    }

    private func offer(
        _ facts: TitleFacts, _ profile: ClientProfile, _ shape: Title.Shape = .renditions
    ) -> TitleOffer {
        TitleOffer(facts, shape, CapabilityOption(profile))
    }

    @Test func soundsThatAClientDoesNotTakeAreLeftOut() {
        let title = facts("h264", "ac3", "aac", "opus")
        #expect(offer(title, .generic).sounds == title.audio)
        #expect(offer(title, .chromium).sounds == [StreamID(2), StreamID(3)])
        #expect(offer(title, .apple).sounds == [StreamID(1), StreamID(2)])
        #expect(
            offer(title, .chromium).reasons[StreamID(1)] == "ac3 is not played by clients of 'caps=chromium'")
        #expect(offer(title, .chromium).reasons[StreamID(2)] == "aac is copied")
        #expect(TitleOffer.differing(title, .renditions) == [.apple, .chromium, .firefox, .android])
    }

    @Test func theMuxedShapeHoldsTheFirstSoundThatTheClientTakes() {
        let title = facts("h264", "ac3", "opus", "aac")
        #expect(offer(title, .generic, .muxed).sounds == [StreamID(1)])
        #expect(offer(title, .apple, .muxed).sounds == [StreamID(1)])
        #expect(offer(title, .chromium, .muxed).sounds == [StreamID(2)])
        #expect(offer(title, .chromium, .muxed).reasons[StreamID(3)] == "the muxed shape holds one sound")
        #expect(TitleOffer.differing(title, .muxed) == [.chromium, .firefox, .android])
    }

    @Test func whereNoSoundFitsTheOfferStaysAsItIsAndSaysSo() {
        let title = facts("h264", "ac3", "eac3")
        #expect(offer(title, .chromium).sounds == title.audio)
        #expect(offer(title, .chromium).refusal == nil)
        #expect(offer(title, .chromium).reasons[StreamID(1)]?.contains("nor is any other sound") == true)
        #expect(offer(title, .chromium, .muxed).sounds == [StreamID(1)])
        #expect(TitleOffer.differing(title, .renditions).isEmpty)
        #expect(TitleOffer.differing(title, .muxed).isEmpty)
    }

    @Test func picturesThatAClientDoesNotTakeAreRefusedByName() throws {
        let title = facts("hevc", "aac")
        let refusal = try #require(offer(title, .chromium).refusal)
        for word in ["stream 0", "hevc", "caps=chromium", "av1, h264, vp9", "caps=chromium+hevc"] {
            #expect(refusal.contains(word), "\(refusal)")
        }
        #expect(TitleOffer.differing(title, .renditions) == [.chromium])
        #expect(TitleOffer(title, .renditions, try CapabilityOption("chromium+hevc")).refusal == nil)
        #expect(TitleOffer.differing(facts("vp9", "aac"), .renditions) == [.apple])
    }

    @Test func mostTitlesAreTheSameForEverybody() {
        for title in [facts("h264", "aac", "aac"), facts("h264", "aac", "flac"), facts("h264"), facts(nil, "flac")] {
            #expect(TitleOffer.differing(title, .renditions).isEmpty)
            #expect(TitleOffer.differing(title, .muxed).isEmpty)
        }
    }
}
