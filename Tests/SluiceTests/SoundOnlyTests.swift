import Foundation
import SluiceBitstream
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// Titles without pictures: exact lengths, films' sounds alone, covers, tags and chapters.
@Suite(.serialized) struct SoundOnlyTests {
    /// How a cut of an album is encoded, and what of that a decoder of FFmpeg drops by itself.
    struct Coding: Sendable, CustomTestStringConvertible {
        var codec: String
        var file: String
        var rate = 44_100
        /// The decoder itself drops what the configuration names (Opus).
        var dropsPriming = false
        /// ADTS and the like cannot say what to drop: all is heard.
        var tellsLength = true
        var testDescription: String { "\(codec) in \(file)" }
    }

    private static let codings = [
        Coding(codec: "aac", file: "cut.m4a"), Coding(codec: "libmp3lame", file: "cut.mp3"),
        Coding(codec: "libopus", file: "cut.opus", rate: 48_000, dropsPriming: true),
        Coding(codec: "libopus", file: "cut.mka", rate: 48_000, dropsPriming: true),
        Coding(codec: "flac", file: "cut.flac"), Coding(codec: "flac", file: "cut.mka"),
        Coding(codec: "alac", file: "cut.m4a"), Coding(codec: "aac", file: "cut.aac", tellsLength: false),
    ]

    /// Two tracks that were cut from an album in the middle of its sound are as long as they were, to the sample, and
    /// what is heard is what a decoder makes of the source: nothing more at the start, at the end, or where segments meet.
    @Test(arguments: codings) func tracksOfAnAlbumKeepTheirLength(_ coding: Coding) async throws {
        let folder = try FilmFolder()
        for count in [coding.rate * 19 / 2 + 37, coding.rate * 13 + 1_001] {
            let sound = folder.url.appending(path: "cut.wav").path()
            let source = folder.url.appending(path: coding.file).path()
            let chirp = "0.4*sin(2*PI*(200+20*t)*t)|0.4*sin(2*PI*(300+15*t)*t)"
            try ExternalTool.run(
                "ffmpeg",
                [
                    "-v", "error", "-y", "-f", "lavfi", "-i", "aevalsrc='\(chirp)':d=30:s=\(coding.rate)", "-af",
                    "atrim=end_sample=\(count)", "-c:a", "pcm_s16le", sound,
                ])
            try ExternalTool.run("ffmpeg", ["-v", "error", "-y", "-i", sound, "-c:a", coding.codec, source])
            let original = try pcm(source)
            let out = folder.url.appending(path: "out").path()
            _ = try await Packager(shape: .renditions, graphs: try FilmFolder.graphs()).run(source, to: out)
            let (joined, priming, length) = try join(out)
            let decoded = try pcm(joined)
            let first = coding.dropsPriming ? 0 : Int(priming)
            let heard = Int(length) - Int(priming)
            if coding.tellsLength { #expect(heard == count) }
            try #require(heard > 0 && decoded.count >= (first + heard) * 4 && original.count >= heard * 4)
            let ours = decoded[(first * 4)..<((first + heard) * 4)]
            let isSame = ours.elementsEqual(original[..<(heard * 4)])
            #expect(isSame, "what is heard differs")
        }
    }

    private func pcm(_ file: String) throws -> Data {
        try ExternalTool.run("ffmpeg", ["-v", "error", "-i", file, "-f", "s16le", "-ac", "2", "-"])
    }

    /// Section and segments as one file, ticks that its edit list skips, and ticks of all samples.
    private func join(_ folder: String) throws -> (file: String, priming: Int64, length: Int64) {
        let section = try Data(contentsOf: URL(filePath: folder + "/audio-1/init-0.mp4"))
        let contents = try InitializationContents(Array(section))
        var bytes = section
        var length: Int64 = 0
        for index in 0... {
            guard let segment = try? Data(contentsOf: URL(filePath: folder + "/audio-1/seg-\(index).m4s")) else {
                break
            }
            for fragment in try FragmentContents.all(in: Array(segment)) {
                for sample in fragment.tracks.flatMap(\.samples) { length += Int64(sample.duration) }
            }
            bytes += segment
        }
        let file = folder + "/joined.mp4"
        try bytes.write(to: URL(filePath: file))
        return (file, contents.tracks.first?.edits.first?.mediaTime ?? 0, length)
    }

    @Test func theSoundsOfAFilmAreServedAlone() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 18, sounds: ["aac", "ac3"])
        let origin = Origin(engine: try folder.engine())
        let base = "/v1/\(folder.root)/film.mkv/~shape=audio/"
        let master = try await origin.get(base + "master.m3u8")
        #expect(master.status == 200)
        let media = master.lines.filter { $0.hasPrefix("#EXT-X-MEDIA") }
        #expect(media.count == 2 && media[0].contains("DEFAULT=YES") && !media[0].contains("URI="))
        #expect(master.lines.filter { $0.hasPrefix("#EXT-X-STREAM-INF") }.count == 1 && !master.text.contains("avc1"))
        #expect(!master.text.contains("RESOLUTION"))
        for rendition in ["audio-1", "audio-2"] {
            let (plan, names) = try await origin.segments(base, rendition)
            // Six seconds each, on frames of 1024 or 1536 samples.
            #expect(names.count == 3)
            var bytes = try await origin.get(plan + "\(rendition)/init-0.mp4").bytes
            for name in names { bytes += try await origin.get(plan + name).bytes }
            let joined = folder.url.appending(path: "\(rendition).mp4")
            try Data(bytes).write(to: joined)
            let place = rendition == "audio-1" ? 0 : 1
            let expected = try ExternalTool.run(
                "ffmpeg",
                [
                    "-v", "error", "-i", folder.url.appending(path: "film.mkv").path(), "-map", "0:a:\(place)", "-c",
                    "copy", "-f", "data", "-",
                ])
            let served = try ExternalTool.run(
                "ffmpeg", ["-v", "error", "-i", joined.path(), "-map", "0:a", "-c", "copy", "-f", "data", "-"])
            let isSame = served == expected
            #expect(isSame, "frames of \(rendition)")
        }
        #expect(try await origin.get(base + "title.json").text.contains("\"shape\":\"audio\""))
    }

    /// Music that no player takes is bridged without pictures, from wherever it is asked for.
    @Test(arguments: ["pcm_s16le cut.wav", "pcm_s24le cut.mka", "vorbis cut.ogg", "wmav2 cut.wma"])
    func musicThatCannotBeCopiedIsBridged(_ coding: String) async throws {
        let parts = coding.split(separator: " ").map(String.init)
        let folder = try FilmFolder()
        let source = folder.url.appending(path: parts[1]).path()
        let chirp = "0.4*sin(2*PI*(200+20*t)*t)|0.4*sin(2*PI*(300+15*t)*t)"
        let codec = parts[0] == "vorbis" ? "libvorbis" : parts[0]
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "aevalsrc='\(chirp)':d=20:s=44100", "-c:a", codec, "-b:a",
                "192k", source,
            ])
        let origin = Origin(engine: try folder.engine())
        let base = "/v1/\(folder.root)/\(parts[1])/~/"
        let master = try await origin.get(base + "master.m3u8")
        try #require(master.status == 200, "\(master.text)")
        #expect(master.text.contains("CODECS=\"fLaC\""))
        let (plan, names) = try await origin.segments(base, "audio-1-flac")
        try #require(names.count == 3)
        var segments: [[UInt8]] = []
        // The last one first: each is made from where it is asked for.
        for name in names.reversed() { segments.insert(try await origin.get(plan + name).bytes, at: 0) }
        let joined = folder.url.appending(path: "joined.mp4")
        let section = try await origin.get(plan + "audio-1-flac/init-0.mp4").bytes
        try Data(section + segments.joined()).write(to: joined)
        let (decoded, original) = (try pcm(joined.path()), try pcm(source))
        // Whole frames: the end may be silence.
        try #require(decoded.count >= original.count && decoded.count - original.count < 4_608 * 4)
        if parts[0].hasPrefix("pcm") {
            let isSame = decoded.prefix(original.count) == original
            #expect(isSame, "what is heard differs")
        }
    }

    @Test func coverTagsAndChaptersAreTold() async throws {
        let folder = try FilmFolder()
        let cover = folder.url.appending(path: "cover.png").path()
        let notes = folder.url.appending(path: "notes.txt")
        try ExternalTool.run(
            "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "color=red:s=64x64", "-frames:v", "1", cover])
        try """
        ;FFMETADATA1
        title=A record
        artist=Somebody
        [CHAPTER]
        TIMEBASE=1/1000
        START=0
        END=4000
        title=First
        [CHAPTER]
        TIMEBASE=1/1000
        START=4000
        END=10000
        title=Second
        """.write(to: notes, atomically: true, encoding: .utf8)
        let film = folder.url.appending(path: "record.m4a").path()
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=d=10", "-i", cover, "-i", notes.path(), "-map", "0", "-map",
                "1",
                "-map_metadata", "2", "-c:a", "aac", "-c:v", "copy", "-disposition:v", "attached_pic", film,
            ])
        let origin = Origin(engine: try folder.engine())
        let base = "/v1/\(folder.root)/record.m4a/~/"
        let text = try await origin.get(base + "title.json").text
        #expect(text.contains("\"title\":\"A record\"") && text.contains("\"artist\":\"Somebody\""))
        #expect(text.contains("\"title\":\"First\"") && text.contains("\"title\":\"Second\""))
        #expect(text.contains("\"start\":4") && text.contains("\"duration\":6"))
        #expect(text.contains("\"uri\":\"cover\"") && text.contains("\"type\":\"image/png\""))
        let picture = try await origin.get(base + "cover")
        let written = try Data(contentsOf: URL(filePath: cover))
        let isSame = picture.bytes == Array(written)
        #expect(picture.status == 200 && isSame && picture.headers["Content-Type"] == "image/png")
        try folder.film("plain.mkv", seconds: 4)
        #expect(try await origin.get("/v1/\(folder.root)/plain.mkv/~/cover").status == 404)
    }
}
