import SluiceCore
import SluiceNodes
import Testing

@testable import Sluice

/// Names of bridged renditions, the order of sounds, and what viewers may ask of them.
@Suite struct SoundOfferTests {
    @Test func everyNameIsWrittenOneWay() {
        for text in ["audio-1-eac3", "audio-12-flac", "audio-2-aac-p250", "audio-3-flac-m2000"] {
            #expect(BridgeName(text)?.text == text)
        }
        for text in [
            "audio-0-eac3", "audio-01-eac3", "audio-1-mp3", "audio-1-", "audio-1", "audio-1-eac3-", "audio-1-eac3-p0",
            "audio-1-eac3-p2001", "audio-1-eac3-250", "audio-1-eac3-p-5", "audio-1-eac3-p+5", "audio-1-eac3-p05",
            "audio--1-eac3", "audio-99999999999999999999-eac3", "audio-1-eac3-p1-x", "video-1-eac3",
        ] {
            #expect(BridgeName(text) == nil, "\(text)")
        }
        #expect(OriginPath(["v1", "r", "a.mkv", "~", "0123abcd", "audio-2-eac3", "seg-4.m4s"]) != nil)
        #expect(OriginPath(["v1", "r", "a.mkv", "~", "0123abcd", "audio-2-mp3", "seg-4.m4s"]) == nil)
    }

    private struct Sound {
        var codec: CodecName
        var language: String?
        var disposition: Disposition
        init(_ codec: CodecName, _ language: String?, _ disposition: Disposition = []) {
            self.codec = codec
            self.language = language
            self.disposition = disposition
        }
    }

    /// Sounds as a container lists them; what fragments carry is copied.
    private func facts(_ sounds: [Sound]) -> TitleFacts {
        var streams = [StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)]
        for sound in sounds {
            var format = StreamFormat(id: StreamID(streams.count), type: .audio, codec: sound.codec, timebase: .mpeg)
            format.audio = AudioFormat(sampleRate: 48_000, channels: 6)
            (format.language, format.disposition) = (sound.language, sound.disposition)
            streams.append(format)
        }
        var facts = TitleFacts(formatName: "matroska", streams: streams, origin: Timestamp(0, .mpeg))
        facts.video = StreamID(0)
        facts.audio = StreamSelection(streams).audio.filter { id in
            RoutePolicy.route(streams).audio.contains { $0.stream == id && $0.means == .copy }
        }
        return facts
    }

    private func order(_ sounds: [Sound], _ languages: [String] = []) -> [Int] {
        SoundRank.order(facts(sounds), languages).map(\.index)
    }

    @Test func theProgrammeComesBeforeWhatIsSaidBesideIt() {
        let sounds = [Sound("ac3", "eng", .commentary), Sound("ac3", "eng", .visualImpaired), Sound("dts", "eng")]
        #expect(order(sounds) == [3, 1, 2])
        // The default of a container does not make a commentary the programme.
        let marked = [Sound("ac3", "eng", [.commentary, .isDefault]), Sound("ac3", "cze"), Sound("dts", "eng")]
        #expect(order(marked) == [2, 3, 1])
    }

    @Test func thenComeTheLanguagesThatWereAskedFor() {
        let sounds = [Sound("ac3", "eng", .isDefault), Sound("dts", "cze"), Sound("ac3", "ger"), Sound("ac3", "pt-br")]
        #expect(order(sounds) == [1, 3, 4, 2])
        #expect(order(sounds, ["cs"]) == [2, 1, 3, 4])
        #expect(order(sounds, ["fr", "de", "cs"]) == [3, 2, 1, 4])
        #expect(order(sounds, ["pt"]).first == 4)
    }

    @Test func thenTheDefaultAndItsLanguageThenWhatIsCopied() {
        let sounds = [Sound("ac3", "cze"), Sound("truehd", "eng", .isDefault), Sound("ac3", "eng")]
        #expect(order(sounds) == [3, 2, 1])
    }

    @Test func everyClientGetsEverySoundThatItCanBeGiven() throws {
        let title = facts([Sound("dts", "eng"), Sound("ac3", "eng"), Sound("opus", "eng"), Sound("ac4", "eng")])
        let apple = TitleOffer(title, .renditions, CapabilityOption(.apple))
        #expect(apple.sounds.map(\.index) == [2, 3, 1])
        #expect(apple.deliveries[StreamID(1)] == .bridge(.eac3))
        #expect(apple.deliveries[StreamID(2)] == .copy)
        #expect(apple.deliveries[StreamID(3)] == .bridge(.eac3))
        #expect(apple.deliveries[StreamID(4)] == nil)
        let chromium = TitleOffer(title, .renditions, CapabilityOption(.chromium))
        #expect(chromium.sounds.map(\.index) == [3, 2, 1])
        #expect(chromium.deliveries[StreamID(2)] == .bridge(.flac))
        let plain = TitleOffer(title, .renditions, try CapabilityOption("h264"))
        #expect(plain.sounds.allSatisfy { plain.deliveries[$0] == .bridge(.aac) })
        let muxed = TitleOffer(title, .muxed, CapabilityOption(.chromium))
        #expect(muxed.sounds.map(\.index) == [3])
        #expect(!TitleOffer.differing(title, .renditions).isEmpty)
    }

    @Test func aDelayMakesEverySoundAnew() throws {
        var wish = SoundWish()
        wish.delay = .milliseconds(-120)
        let title = facts([Sound("ac3", "eng")])
        let offer = TitleOffer(title, .renditions, .generic, wish)
        #expect(offer.deliveries[StreamID(1)] == .bridge(.eac3))
        #expect(offer.bridged(StreamID(1), of: title)?.rendition == "audio-1-eac3-m120")
    }

    @Test func optionsOfSoundAreCheckedAndWrittenOneWay() throws {
        let options = try TitleOptions("lang=eng+CZE+en,delay=-250,audio=lossless")
        #expect(options.text == "audio=lossless,delay=-250,lang=en+cs")
        #expect(options.sounds.languages == ["en", "cs"])
        #expect(options.sounds.mode == .lossless)
        #expect(options.sounds.delay == .milliseconds(-250))
        for text in ["delay=2001", "delay=-2001", "delay=1.5", "delay=+5", "delay=nan", "lang=", "lang=1", "audio=mp3"]
        {
            #expect(throws: NodeFailure.self, "\(text)") { try TitleOptions(text) }
        }
    }
}
