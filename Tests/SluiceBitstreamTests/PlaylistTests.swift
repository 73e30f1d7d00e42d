import SluiceBitstream
import SluiceCore
import Testing

@Suite struct MediaPlaylistTests {
    /// 1001/24000 s pictures, segments of 96: the printed sum stays within half a microsecond of the truth.
    @Test func printedDurationsDoNotDrift() throws {
        let tick = { (pictures: Int64) in Timestamp(pictures * 1_001, Timebase(hertz: 24_000)) }
        var segments: [MediaSegment] = []
        for index in 0..<1_000 as Range<Int64> {
            let start = Self.duration(tick(index * 96))
            segments.append(
                MediaSegment(
                    uri: "seg-\(index).m4s", start: start, duration: Self.duration(tick(index * 96 + 96)) - start))
        }
        let playlist = MediaPlaylist(kind: .vod, segments: segments)
        let printed = playlist.text.split(separator: "\n").compactMap { line -> Int64? in
            guard line.hasPrefix("#EXTINF:") else { return nil }
            let digits = line.dropFirst(8).dropLast().split(separator: ".")
            return (Int64(digits[0]) ?? 0) * 1_000_000 + (Int64(digits[1]) ?? 0)
        }
        #expect(printed.count == 1_000 && Set(printed).isSubset(of: [4_004_000]))
        #expect(printed.reduce(0, +) == 4_004_000_000)
        #expect(playlist.targetDuration == 5)

        // Thirds of a second: the running sum is right after every segment, and a window that slides prints the same.
        let thirds = (0..<30).map { index in
            let start = Duration(secondsComponent: 0, attosecondsComponent: 333_333_333_333_333_333) * index
            return MediaSegment(uri: "\(index)", start: start, duration: .nanoseconds(333_333_333))
        }
        var sum: Int64 = 0
        for (index, segment) in thirds.enumerated() {
            sum += segment.printedMicroseconds
            #expect(abs(sum - Int64(index + 1) * 1_000_000 / 3) <= 1)
        }
        let window = MediaPlaylist(kind: .live, segments: Array(thirds.dropFirst(7)))
        #expect(window.segments.map(\.printedMicroseconds) == thirds.dropFirst(7).map(\.printedMicroseconds))
    }

    private static func duration(_ time: Timestamp) -> Duration {
        let (whole, rest) = time.ticks.quotientAndRemainder(dividingBy: Int64(time.timebase.denominator))
        return Duration(
            secondsComponent: whole,
            attosecondsComponent: Int64(Int128(rest) * 1_000_000_000_000_000_000 / Int128(time.timebase.denominator)))
    }

    /// Behaviours EP-01, EP-02: the order of the tags.
    @Test func vodText() {
        var first = MediaSegment(uri: "video/seg-0.m4s", start: .zero, duration: .seconds(4))
        first.map = InitializationMap(uri: "video/init-0.mp4")
        var second = MediaSegment(uri: "video/seg-1.m4s", start: .seconds(4), duration: .milliseconds(3_520))
        second.isDiscontinuity = true
        second.map = InitializationMap(uri: "video/init-1.mp4")
        second.programDateTime = ProgramDateTime(milliseconds: 1_767_323_045_678)
        var playlist = MediaPlaylist(kind: .vod, segments: [first, second])
        playlist.isIndependent = true
        #expect(
            playlist.text == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:4
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MAP:URI="video/init-0.mp4"
                #EXTINF:4.000000,
                video/seg-0.m4s
                #EXT-X-DISCONTINUITY
                #EXT-X-MAP:URI="video/init-1.mp4"
                #EXT-X-PROGRAM-DATE-TIME:2026-01-02T03:04:05.678Z
                #EXTINF:3.520000,
                video/seg-1.m4s
                #EXT-X-ENDLIST

                """)
    }

    @Test func eventAndLiveHaveNoEndUntilTheyEnd() {
        let segments = [MediaSegment(uri: "a", start: .zero, duration: .milliseconds(4_001))]
        let event = MediaPlaylist(kind: .event, segments: segments)
        #expect(event.text.contains("#EXT-X-PLAYLIST-TYPE:EVENT\n") && !event.text.contains("ENDLIST"))
        #expect(event.targetDuration == 5)
        var live = MediaPlaylist(kind: .live, segments: segments, targetDuration: 6)
        live.mediaSequence = 17
        live.discontinuitySequence = 2
        live.serverControl = .init(canBlockReload: true, holdBack: 18)
        #expect(!live.text.contains("PLAYLIST-TYPE") && live.text.contains("#EXT-X-MEDIA-SEQUENCE:17\n"))
        #expect(live.text.contains("#EXT-X-DISCONTINUITY-SEQUENCE:2\n"))
        #expect(live.text.contains("#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,HOLD-BACK=18.000\n"))
    }

    /// ISO 8601 forms; 951,782,400 is 2000-02-29T00:00:00Z (RFC 3339 gives no list, `date -u -d @951782400` does).
    @Test func programDateTimes() {
        #expect(ProgramDateTime(milliseconds: 951_782_400_000).description == "2000-02-29T00:00:00.000Z")
        #expect(ProgramDateTime("2000-02-29T01:30:00.250+01:30")?.milliseconds == 951_782_400_250)
        #expect(ProgramDateTime("1969-12-31T23:59:59Z")?.milliseconds == -1_000)
        #expect(ProgramDateTime(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
        #expect(ProgramDateTime("2000-02-29 00:00:00Z") == nil && ProgramDateTime("2000-13-01T00:00:00Z") == nil)
    }
}

@Suite struct MultivariantPlaylistTests {
    static func sample() -> MultivariantPlaylist {
        var audio = Rendition(kind: .audio, group: "aud", name: "Director\"s, \"cut\"", uri: "audio-1.m3u8")
        audio.language = "en"
        audio.isDefault = true
        audio.channels = "16/JOC"
        var captions = Rendition(kind: .subtitles, group: "subs", name: "English", uri: "subs-1.m3u8")
        captions.language = "en"
        captions.isForced = true
        captions.isAutoselected = true
        captions.characteristics = ["public.accessibility.transcribes-spoken-dialog", "public.easy-to-read"]
        var variant = Variant(uri: "video.m3u8", bandwidth: 9_000_000)
        variant.averageBandwidth = 4_500_000
        variant.codecs = ["hvc1.2.4.L153.B0", "ec-3"]
        variant.supplementalCodecs = ["dvh1.08.06/db1p"]
        variant.resolution = Resolution(width: 3_840, height: 2_160)
        variant.frameRate = 24_000.0 / 1_001
        variant.videoRange = .pq
        variant.audioGroup = "aud"
        variant.subtitleGroup = "subs"
        variant.closedCaptions = .noneFound
        var images = IFrameVariant(uri: "iframes.m3u8", bandwidth: 500_000)
        images.codecs = ["hvc1.2.4.L153.B0"]
        images.resolution = variant.resolution
        images.videoRange = .pq
        return MultivariantPlaylist(
            renditions: [audio, captions], variants: [variant], iFrameVariants: [images], isIndependent: true)
    }

    /// Behaviours CR-13 (order), CR-18 (quotes), D12 (VIDEO-RANGE).
    @Test func textInOrder() {
        #expect(
            Self.sample().text == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-INDEPENDENT-SEGMENTS
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="aud",NAME="Director's, 'cut'",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES,CHANNELS="16/JOC",URI="audio-1.m3u8"
                #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",LANGUAGE="en",DEFAULT=NO,AUTOSELECT=YES,FORCED=YES,CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog,public.easy-to-read",URI="subs-1.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=9000000,AVERAGE-BANDWIDTH=4500000,CODECS="hvc1.2.4.L153.B0,ec-3",SUPPLEMENTAL-CODECS="dvh1.08.06/db1p",RESOLUTION=3840x2160,FRAME-RATE=23.976,VIDEO-RANGE=PQ,AUDIO="aud",CLOSED-CAPTIONS=NONE,SUBTITLES="subs"
                video.m3u8
                #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=500000,CODECS="hvc1.2.4.L153.B0",RESOLUTION=3840x2160,VIDEO-RANGE=PQ,URI="iframes.m3u8"

                """)
    }

    @Test func namesBecomeUnique() {
        var playlist = MultivariantPlaylist(renditions: [
            Rendition(kind: .audio, group: "a", name: "English"), Rendition(kind: .audio, group: "a", name: "ENGLISH"),
            Rendition(kind: .audio, group: "a", name: "english 2"),
            Rendition(kind: .subtitles, group: "a", name: "English"),
        ])
        playlist.makeNamesUnique()
        #expect(playlist.renditions.map(\.name) == ["English", "ENGLISH 2", "english 2 2", "English"])
    }
}

@Suite struct PlaylistReaderTests {
    @Test func readsWhatOthersWrite() throws {
        let text =
            "#EXTM3U\r\n#EXT-X-VERSION:6\r\n# comment\r\n#EXT-X-TARGETDURATION:10\r\n#EXT-X-UNKNOWN:1\r\n"
            + "#EXT-X-KEY:METHOD=AES-128,URI=\"k,1\",IV=0x01\r\n#EXTINF:9.009\r\n#EXT-X-BYTERANGE:100@20\r\na.ts\r\n"
            + "#EXT-X-GAP\r\n#EXTINF:10,Title, with comma\r\n#EXT-X-BYTERANGE:50\r\na.ts\r\n"
        guard case .media(let playlist) = try PlaylistDocument(text: text) else {
            Issue.record("not a media playlist")
            return
        }
        #expect(playlist.kind == .live && playlist.version == 6 && !playlist.isEnded && playlist.targetDuration == 10)
        #expect(playlist.segments.map(\.duration) == [.microseconds(9_009_000), .seconds(10)])
        #expect(playlist.segments.map(\.start) == [.zero, .microseconds(9_009_000)])
        #expect(playlist.segments[0].byteRange == ByteRange(length: 100, offset: 20))
        #expect(playlist.segments[0].key?.uri == "k,1" && playlist.segments[1].isGap)
        #expect(playlist.segments[1].title == "Title, with comma" && playlist.segments[1].byteRange?.offset == nil)
    }

    @Test func writeAndReadAgainGivesTheSame() throws {
        let original = MultivariantPlaylistTests.sample()
        let once = try PlaylistDocument(text: original.text)
        guard case .multivariant(let read) = once else {
            Issue.record("not a multivariant playlist")
            return
        }
        #expect(try PlaylistDocument(text: read.text) == once)
        var expected = original
        expected.renditions[0].name = "Director's, 'cut'"
        expected.renditions[0].isAutoselected = true
        expected.variants[0].frameRate = 23.976
        #expect(read == expected)
    }

    @Test(arguments: [
        ("", NodeFailure.Code.notMedia), ("#EXTM3U8\n", .notMedia), ("#EXTM3U\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:x\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\nseg.ts\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:-1,\nseg.ts\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:nan,\nseg.ts\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MAP:URI=\"x\n#EXTINF:1,\nseg.ts\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:1,\n#EXT-X-BYTERANGE:9@9223372036854775807\ns\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n#EXTINF:1,\nseg.ts\n", .malformedInput),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999\nv.m3u8\n", .malformedInput),
    ])
    func refusesWithAReason(_ text: String, _ code: NodeFailure.Code) {
        let failure = #expect(throws: NodeFailure.self) { try PlaylistDocument(text: text) }
        #expect(failure?.code == code)
        #expect(failure?.message.isEmpty == false)
    }

    @Test func invalidUTF8IsNoPlaylist() {
        let failure = #expect(throws: NodeFailure.self) {
            try PlaylistDocument(Array("#EXTM3U\n".utf8) + [0xFF, 0xFE])
        }
        #expect(failure?.code == .notMedia)
    }
}
