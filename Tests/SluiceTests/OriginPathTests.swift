import SluiceCore
import Testing

@testable import Sluice

@Suite struct OriginPathTests {
    private func parse(_ path: String) -> OriginPath? {
        Request(path: path).pathComponents.flatMap { OriginPath($0) }
    }

    @Test func namesEveryObjectOfATitle() {
        let source = ["films", "a b.mkv"]
        let base = "/v1/films/a%20b.mkv/~"
        #expect(parse("/") == .status)
        #expect(parse("/healthz") == .health)
        #expect(parse(base + "/master.m3u8") == .title(source: source, options: "", .master))
        #expect(parse(base + "shape=muxed/title.json") == .title(source: source, options: "shape=muxed", .facts))
        #expect(
            parse(base + "/0123abcd/audio-2.m3u8")
                == .title(source: source, options: "", .playlist(plan: "0123abcd", rendition: "audio-2")))
        #expect(
            parse(base + "/0123abcd/video/seg-12.m4s")
                == .title(
                    source: source, options: "",
                    .segment(plan: "0123abcd", SegmentKey(rendition: "video", role: .media(index: 12)))))
        #expect(
            parse(base + "/0123abcd/video/init-0.mp4")
                == .title(
                    source: source, options: "",
                    .segment(plan: "0123abcd", SegmentKey(rendition: "video", role: .initialization(version: 0)))))
    }

    @Test func aNameThatBeginsWithATildeIsEscapedByASecondOne() {
        #expect(
            parse("/v1/films/~~odd.mkv/~/master.m3u8") == .title(source: ["films", "~odd.mkv"], options: "", .master))
    }

    /// An object has one name: no leading zeros, no signs, no other case, nothing beyond.
    @Test(arguments: [
        "/v1", "/v1/films", "/v1/films/a.mkv/master.m3u8", "/v1/~/master.m3u8", "/v2/films/a.mkv/~/master.m3u8",
        "/v1/films/a.mkv/~/0123ABCD/video.m3u8", "/v1/films/a.mkv/~/0123abc/video.m3u8",
        "/v1/films/a.mkv/~/0123abcd/video/seg-01.m4s", "/v1/films/a.mkv/~/0123abcd/video/seg--1.m4s",
        "/v1/films/a.mkv/~/0123abcd/video/seg-1.mp4", "/v1/films/a.mkv/~/0123abcd/audio-0.m3u8",
        "/v1/films/a.mkv/~/0123abcd/video/seg-99999999999.m4s", "/v1/films/a.mkv/~/0123abcd/video/x/seg-1.m4s",
        "/v1/films/../etc/passwd/~/master.m3u8", "/v1/films/%2e%2e/~/master.m3u8", "/v1/films/a%2fb/~/master.m3u8",
        "/v1/films/a%00b/~/master.m3u8", "/healthz/x",
    ])
    func refusesWhatNamesNothing(_ path: String) {
        #expect(parse(path) == nil)
    }
}
