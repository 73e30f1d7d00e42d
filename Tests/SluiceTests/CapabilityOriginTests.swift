import Foundation
import SluiceBitstream
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// What an origin answers to clients that play different things.
@Suite(.serialized) struct CapabilityOriginTests {
    private static let chromium: Headers = [
        "User-Agent":
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36"
    ]
    private static let firefox: Headers = ["User-Agent": "Mozilla/5.0 (X11; rv:128.0) Gecko/20100101 Firefox/128.0"]
    private static let safari: Headers = ["User-Agent": "AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5_1)"]
    private static let mpv: Headers = ["User-Agent": "mpv 0.35.1"]

    private func codecs(_ master: Answered) -> [String] {
        master.lines.compactMap { line in
            line.firstMatch(of: /CODECS="([^"]*)"/).map { String($0.1) }
        }
    }

    @Test func aTitleThatEverybodyTakesIsAnsweredWithoutARedirect() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 12, sounds: ["aac"])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/"
        let plain = try await origin.get(base + "~/master.m3u8")
        for headers in [Self.chromium, Self.firefox, Self.safari, Self.mpv] {
            let master = try await origin.get(base + "~/master.m3u8", headers)
            #expect(master.status == 200 && master.text == plain.text)
            #expect(master.headers["Vary"] == nil)
            #expect(master.headers["Cache-Control"] == "no-cache")
        }
        let named = try await origin.get(base + "~caps=chromium/master.m3u8")
        #expect(named.status == 200 && named.text == plain.text)
        await engine.stop()
    }

    @Test func soundsAreOfferedToThoseWhoPlayThem() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 12, sounds: ["ac3", "aac"])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/"

        // Nothing is known of this one: everything is offered, and no cache may hand that to others.
        let plain = try await origin.get(base + "~/master.m3u8", Self.mpv)
        #expect(plain.status == 200)
        #expect(codecs(plain).first?.contains("ac-3,mp4a.40.2") == true, "\(plain.text)")
        #expect(plain.headers["Vary"] == "User-Agent" && plain.headers["Cache-Control"] == "no-store")

        let redirect = try await origin.get(base + "~/master.m3u8?v=1-abc", Self.chromium)
        #expect(redirect.status == 302)
        #expect(redirect.headers["Location"] == "../~caps=chromium/master.m3u8?v=1-abc")
        #expect(redirect.headers["Vary"] == "User-Agent" && redirect.headers["Cache-Control"] == "no-store")
        #expect(
            try await origin.get(base + "~/master.m3u8", Self.firefox).headers["Location"]
                == "../~caps=firefox/master.m3u8")
        // It plays both.
        #expect(try await origin.get(base + "~/master.m3u8", Self.safari).status == 200)

        // The address alone decides, whoever asks.
        let offered = try await origin.get(base + "~caps=chromium/master.m3u8", Self.safari)
        #expect(offered.status == 200)
        #expect(codecs(offered).allSatisfy { $0.hasPrefix("avc1.") && $0.hasSuffix(",mp4a.40.2,fLaC") })
        #expect(offered.headers["Vary"] == nil && offered.headers["Cache-Control"] == "no-cache")
        let renditions = offered.lines.filter { $0.hasPrefix("#EXT-X-MEDIA") }
        #expect(renditions.count == 2)
        #expect(renditions[0].contains("audio-2.m3u8") && renditions[0].contains("DEFAULT=YES"))
        #expect(renditions[1].contains("audio-1-flac.m3u8") && renditions[1].contains("DEFAULT=NO"))
        let wish = try await origin.get(base + "~caps=generic/master.m3u8", Self.chromium)
        #expect(wish.status == 200 && wish.text == plain.text)

        // Below the plan nothing differs: one segment in the store answers both addresses.
        let folders = (
            try await origin.segments(base + "~caps=chromium/"), try await origin.segments(base + "~caps=generic/")
        )
        #expect(folders.0.names == folders.1.names)
        for name in ["video/init-0.mp4", "video/seg-1.m4s", "audio-2/seg-1.m4s"] {
            let pair = (try await origin.get(folders.0.folder + name), try await origin.get(folders.1.folder + name))
            #expect(pair.0.status == 200 && pair.0.bytes == pair.1.bytes, "\(name)")
            #expect(pair.0.headers["ETag"] == pair.1.headers["ETag"])
        }
        #expect(await engine.openTitles().count == 1)

        let report = try await origin.get(base + "~caps=chromium/title.json")
        #expect(report.text.contains(#""caps":"chromium""#), "\(report.text.prefix(250))")
        #expect(report.text.contains("the client does not play ac3: bridged to flac"))
        #expect(report.text.contains(#""rendition":"audio-1-flac""#))
        #expect(report.text.contains(#""differsFor":["chromium","firefox","android"]"#))
        await engine.stop()
    }

    @Test func theMuxedShapeIsMadeWithTheSoundThatTheClientPlays() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 12, sounds: ["ac3", "aac"])
        let engine = try folder.engine { $0.openTitles = 1 }
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/"
        let redirect = try await origin.get(base + "~shape=muxed/master.m3u8", Self.chromium)
        #expect(redirect.status == 302)
        #expect(redirect.headers["Location"] == "../~caps=chromium,shape=muxed/master.m3u8")
        let plain = try await origin.get(base + "~shape=muxed/master.m3u8", Self.mpv)
        #expect(codecs(plain).first?.hasSuffix(",ac-3") == true)

        let options = "~caps=chromium,shape=muxed/"
        let offered = try await origin.get(base + options + "master.m3u8")
        #expect(codecs(offered).first?.hasSuffix(",mp4a.40.2") == true, "\(offered.text)")
        let own = try await origin.segments(base + options)
        let other = try await origin.segments(base + "~shape=muxed/")
        #expect(
            own.names == other.names && own.folder.split(separator: "/").last == other.folder.split(separator: "/").last
        )
        for (place, entry) in [(own, "mp4a"), (other, "ac-3")] {
            let section = try await origin.get(place.folder + "video/init-0.mp4")
            #expect(section.status == 200 && section.text.contains(entry), "\(entry)")
            let contents = try InitializationContents(section.bytes)
            #expect(contents.tracks.count == 2)
            for name in place.names {
                let segment = try await origin.get(place.folder + name)
                #expect(segment.status == 200, "\(name): \(segment.text.prefix(200))")
            }
        }
        let pair = (
            try await origin.get(own.folder + own.names[1]), try await origin.get(other.folder + own.names[1])
        )
        #expect(pair.0.bytes.count != pair.1.bytes.count)
        #expect(pair.0.headers["ETag"] != pair.1.headers["ETag"])

        // An independent reader hears the sound that was chosen.
        var bytes = try await origin.get(own.folder + "video/init-0.mp4").bytes
        for name in own.names { bytes += try await origin.get(own.folder + name).bytes }
        let whole = folder.url.appending(path: "whole.mp4")
        try Data(bytes).write(to: whole)
        let text = try ExternalTool.text(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames", "-of", "csv=p=0",
                whole.path(),
            ])
        #expect(text.contains("h264,300") && text.contains("aac,56"), "\(text)")
        // Both are one title: they take one of the places for open titles, and are closed together.
        #expect(await engine.openTitles().count == 2)
        #expect(await engine.openTitles().allSatisfy { !$0.producers.statuses.isEmpty })
        await engine.forget(try #require(await engine.openTitles().last))
        #expect(await engine.openTitles().isEmpty)
        await engine.stop()
    }

    @Test func aChangedFileIsPlannedAnewForTheChosenSoundToo() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 12, sounds: ["ac3", "aac"])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/~caps=chromium,shape=muxed/"
        let before = try await origin.segments(base)
        #expect(try await origin.get(before.folder + before.names[0]).status == 200)
        try folder.film("film.mkv", seconds: 12, sounds: ["ac3", "flac", "aac"])
        let after = try await origin.segments(base)
        #expect(after.folder != before.folder)
        #expect(try await origin.get(before.folder + before.names[0]).status == 410)
        #expect(try await origin.get(after.folder + "video/init-0.mp4").text.contains("fLaC"))
        #expect(try await origin.get(after.folder + after.names[1]).status == 200)
        await engine.stop()
    }

    @Test func picturesThatTheClientDoesNotPlayAreRefusedByName() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 12, picture: "libx265")
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mp4/"
        #expect(
            try await origin.get(base + "~/master.m3u8", Self.chromium).headers["Location"]
                == "../~caps=chromium/master.m3u8")
        let refused = try await origin.get(base + "~caps=chromium/master.m3u8", Self.chromium)
        #expect(refused.status == 415)
        #expect(refused.text.contains("unsupported") && refused.text.contains("hevc pictures are not played"))
        for (options, agent) in [("", Self.firefox), ("", Self.mpv), ("caps=chromium+hevc", Self.chromium)] {
            #expect(try await origin.get(base + "~\(options)/master.m3u8", agent).status == 200, "\(options)")
        }
        let report = try await origin.get(base + "~caps=chromium/title.json")
        #expect(report.status == 200 && report.text.contains(#""refusal":"stream 0: hevc"#))
        await engine.stop()
    }

    @Test func optionsHaveOneAddress() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 12, sounds: ["ac3", "aac"])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/"
        for (target, location) in [
            ("~/master.m3u8?caps=hevc+ac3", "~caps=ac3+hevc"),
            ("~/master.m3u8?caps=hevc%2Bac3&v=1-a", "~caps=ac3+hevc"),
            ("~shape=muxed/master.m3u8?caps=apple", "~caps=apple,shape=muxed"),
            ("~caps=apple/master.m3u8?caps=apple", "~caps=apple"), ("~caps=hevc+ac3/master.m3u8", "~caps=ac3+hevc"),
            ("~shape=muxed,caps=apple/master.m3u8", "~caps=apple,shape=muxed"),
            ("~shape=renditions/master.m3u8?shape=muxed", "~shape=muxed"),
        ] {
            let answer = try await origin.get(base + target, Self.chromium)
            #expect(answer.status == 302, "\(target)")
            let token = target.contains("v=") ? "?v=1-a" : ""
            #expect(answer.headers["Location"] == "../\(location)/master.m3u8\(token)")
            #expect(answer.headers["Vary"] == nil && answer.headers["Cache-Control"] == "no-store")
            let next = try await origin.get(base + location + "/master.m3u8", Self.chromium)
            #expect(next.status == (location.contains("caps") ? 200 : 302), "no redirect leads to another of its kind")
        }
        for options in ["caps=chromum", "caps=", "caps", "caps=hevc++ac3", "cap=apple", "caps=dts,shape=muxed"] {
            for object in ["master.m3u8", "title.json", "00000000/video.m3u8"] {
                let answer = try await origin.get(base + "~\(options)/\(object)", Self.chromium)
                #expect(answer.status == 400, "\(options) \(object)")
            }
        }
        let hint = try await origin.get(base + "~/master.m3u8?caps=chromum").text
        #expect(hint.contains("did you mean 'chromium'?"), "\(hint)")
        await engine.stop()
    }
}
