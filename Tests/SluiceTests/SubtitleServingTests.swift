import Foundation
import SluiceCore
import SluiceNodes
import TestTools
import Testing

@testable import Sluice

/// Text tracks as WebVTT renditions, compared with what ffmpeg reads in the same file.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct SubtitleServingTests {
    private func segments(
        _ origin: Origin, _ base: String, _ rendition: String, in order: (Range<Int>) -> [Int] = { Array($0) }
    ) async throws -> [Int: String] {
        let (folder, names) = try await origin.segments(base, rendition)
        var found: [Int: String] = [:]
        for index in order(names.indices) {
            var answer = try await origin.get(folder + names[index])
            for _ in 0..<20 where answer.status == 503 { answer = try await origin.get(folder + names[index]) }
            #expect(answer.status == 200, "\(names[index]): \(answer.text)")
            #expect(answer.headers["Content-Type"]?.hasPrefix("text/vtt") == true)
            #expect(answer.headers["Cache-Control"]?.contains("immutable") == true)
            found[index] = answer.text
        }
        return found
    }

    private func expectOracle(_ path: String, track: Int, _ segments: [Int: String]) throws {
        let found = SubtitleFilm.cues(segments.sorted { $0.key < $1.key }.map(\.value))
        let wanted = try SubtitleFilm.oracle(path, track: track)
        #expect(found.count == wanted.count, "\(path) track \(track)")
        for (found, wanted) in zip(found, wanted) {
            #expect(abs(found.start - wanted.start) <= 1 && abs(found.end - wanted.end) <= 1, "\(found), \(wanted)")
            #expect(found.text == wanted.text)
        }
    }

    /// Times, texts that look like markup, cues over a boundary, and the same bytes in any order of asking.
    @Test(arguments: ["film.mkv", "film.mp4"])
    func segmentsHoldWhatTheTrackHolds(name: String) async throws {
        let film = try SubtitleFilm()
        let isMovie = name.hasSuffix("mp4")
        let text = try film.write("a.srt", isMovie ? SubtitleFilm.plainText : SubtitleFilm.text)
        try film.film(name, texts: [(text, [])], codec: isMovie ? "mov_text" : "copy")
        let base = "/v1/\(film.folder.root)/\(name)/~/"
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let straight = try await segments(origin, base, "subs-1")
        try expectOracle(film.folder.url.appending(path: name).path(), track: 0, straight)
        for (index, text) in straight {
            #expect(text.hasPrefix("WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n"), "segment \(index)")
            let inside = text.split(separator: "\n").filter { !$0.hasPrefix("00:") }
            #expect(!inside.contains { $0.contains("-->") }, "segment \(index)")
        }
        #expect(straight[0]?.contains("AT&amp;T") == true)
        #expect(straight[0]?.contains(isMovie ? "a &gt; b" : "a &lt; b --&gt; c") == true)
        #expect(straight[0]?.contains("- second") == true)
        #expect(straight.values.count { $0.contains("span") } == 2)
        await engine.stop()
        // Another engine, from the end to the beginning.
        let other = try film.folder.engine()
        let reversed = try await segments(Origin(engine: other), base, "subs-1") { $0.reversed() }
        #expect(reversed == straight)
        await other.stop()
    }

    /// The boundaries of the pictures, to the letter.
    @Test func thePlaylistMirrorsThePictures() async throws {
        let film = try SubtitleFilm()
        let text = try film.write("a.srt", SubtitleFilm.text)
        try film.film("film.mkv", texts: [(text, [])])
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(film.folder.root)/film.mkv/~/"
        let (folder, names) = try await origin.segments(base, "subs-1")
        let lines = try await origin.get(String(folder.dropLast()) + "/subs-1.m3u8").lines
        let pictures = try await origin.get(String(folder.dropLast()) + "/video.m3u8").lines
        #expect(lines.filter { $0.hasPrefix("#EXTINF") } == pictures.filter { $0.hasPrefix("#EXTINF") })
        #expect(lines.contains("#EXT-X-ENDLIST"))
        #expect(!lines.contains { $0.hasPrefix("#EXT-X-MAP") })
        #expect(names.first == "subs-1/seg-0.vtt")
        let report = try await origin.get(base + "title.json").text
        #expect(report.contains("\"rendition\": \"subs-1\"") || report.contains("\"rendition\":\"subs-1\""))
        #expect(try await origin.get(folder + "subs-1/seg-99.vtt").status == 404)
        #expect(try await origin.get(folder + "subs-2/seg-0.vtt").status == 404)
        #expect(try await origin.get(folder + "subs-1/seg-0.m4s").status == 404)
        await engine.stop()
    }

    /// A title that begins late on its source's clock, and one that is too large to be read whole.
    @Test func theAxisIsThatOfThePictures() async throws {
        let film = try SubtitleFilm()
        let text = try film.write("a.srt", SubtitleFilm.text)
        try film.film("plain.mkv", texts: [(text, [])])
        let path = film.folder.url.appending(path: "plain.mkv").path()
        let late = film.folder.url.appending(path: "late.mkv").path()
        try ExternalTool.run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-i", path, "-map", "0", "-c", "copy", "-output_ts_offset", "100", late])
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let plain = try await segments(origin, "/v1/\(film.folder.root)/plain.mkv/~/", "subs-1")
        let moved = try await segments(origin, "/v1/\(film.folder.root)/late.mkv/~/", "subs-1")
        let times = SubtitleFilm.cues(plain.sorted { $0.key < $1.key }.map(\.value))
        let found = SubtitleFilm.cues(moved.sorted { $0.key < $1.key }.map(\.value))
        #expect(found.count == times.count)
        for (found, wanted) in zip(found, times) { #expect(abs(found.start - wanted.start) <= 1) }
        await engine.stop()
    }

    /// Read around each segment alone, cold, warm and from the end: the same bytes as from a straight read.
    @Test(arguments: ["film.mkv", "film.mp4"])
    func windowsGiveTheSameAsAStraightRead(name: String) async throws {
        let film = try SubtitleFilm()
        var text = ""
        for number in 0..<150 {
            let start = number * 2
            text += "\(number + 1)\n00:\(two(start / 60)):\(two(start % 60)),500 --> "
            text += "00:\(two((start + 3) / 60)):\(two((start + 3) % 60)),000\ncue \(number)\n\n"
        }
        let file = try film.write("a.srt", text)
        try film.film(name, texts: [(file, [])], seconds: 300, codec: name.hasSuffix("mp4") ? "mov_text" : "copy")
        let path = film.folder.url.appending(path: name).path()
        let engine = try film.folder.engine()
        let title = try await engine.title(path, name: name, shape: .renditions)
        let track = try #require(title.subtitles.tracks.first)
        func service() -> SubtitleService {
            SubtitleService(
                source: path, facts: title.facts, plan: title.plan, clock: SystemTimeSource(),
                logger: .silent, reach: SubtitleReach(title.facts, size: nil))
        }
        var straight: [[UInt8]] = []
        for index in title.plan.segments.indices { straight.append(try await bytes(title.subtitles, track, index)) }
        let windowed = service()
        #expect(windowed.store.reach.carry != nil)
        for index in [40, 3, 41, 0, title.plan.segments.count - 1, 20] {
            let found = try await bytes(windowed, track, index)
            #expect(found == straight[index], "segment \(index)")
            let cold = try await bytes(service(), track, index)
            #expect(cold == straight[index], "segment \(index), cold")
        }
        let read = windowed.store.cues(try #require(track.stream), in: 0..<300_000).count
        #expect(read > 0)
        await engine.stop()
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private func bytes(_ service: SubtitleService, _ track: SubtitleTrack, _ index: Int) async throws -> [UInt8] {
        for _ in 0..<20 {
            switch await service.segment(track, index) {
            case .ready(let bytes): return bytes
            case .pending: continue
            case .failed(let failure): throw failure
            }
        }
        throw NodeFailure(.timedOut, "segment \(index)")
    }

    /// The script that ffmpeg copies out of the same file, line by line.
    @Test func scriptsAreThoseOfTheirAuthors() async throws {
        let film = try SubtitleFilm()
        let script = try film.write(
            "a.ass",
            """
            [Script Info]
            PlayResX: 640
            PlayResY: 360

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
            Style: Default,Arial,20,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,0,0,0,0,100,100,0,0,1,2,2,2,10,10,10,1

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
            Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\pos(320,180)\\i1}one\\Nline
            Dialogue: 1,0:00:05.00,0:00:06.00,Default,,0,0,0,,two, with {\\p1}m 0 0 l 1 1{\\p0}commas

            """)
        try film.film("film.mkv", texts: [(script, [])])
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(film.folder.root)/film.mkv/~/"
        let (folder, _) = try await origin.segments(base)
        let plan = base + String(folder.split(separator: "/").last ?? "") + "/"
        var answer = try await origin.get(plan + "subs-1/script.ass")
        for _ in 0..<20 where answer.status == 503 { answer = try await origin.get(plan + "subs-1/script.ass") }
        #expect(answer.status == 200)
        let found = answer.lines.filter { $0.hasPrefix("Dialogue:") }
        #expect(
            found == [
                "Dialogue: 0,0:00:01.00,0:00:02.50,Default,,0,0,0,,{\\pos(320,180)\\i1}one\\Nline",
                "Dialogue: 1,0:00:05.00,0:00:06.00,Default,,0,0,0,,two, with {\\p1}m 0 0 l 1 1{\\p0}commas",
            ])
        #expect(answer.text.contains("PlayResX: 640"))
        // The rendition has the texts alone.
        let texts = try await segments(origin, base, "subs-1").sorted { $0.key < $1.key }.map(\.value)
        let cues = SubtitleFilm.cues(texts)
        #expect(cues.map(\.text) == ["one\nline", "two, with commas"])
        #expect(texts.first?.contains("line:50%,end position:50%") == true)
        await engine.stop()
    }

    /// Names, languages and flags of two tracks, as packaged; and the validator has nothing against it.
    @Test func flagsAndNamesAreThoseOfTheTracks() async throws {
        let film = try SubtitleFilm()
        let text = try film.write("a.srt", SubtitleFilm.text)
        try film.film(
            "film.mkv",
            texts: [
                (text, ["-metadata:s:s:0", "language=fre", "-disposition:s:0", "forced"]),
                (text, ["-metadata:s:s:1", "language=fre", "-disposition:s:1", "default"]),
                (
                    text,
                    [
                        "-metadata:s:s:2", "language=eng", "-metadata:s:s:2", "title=Full", "-disposition:s:2",
                        "hearing_impaired",
                    ]
                ),
            ])
        let path = film.folder.url.appending(path: "film.mkv").path()
        let made = try await Presentation(.success(path))
        let lines = made.master.split(separator: "\n").filter { $0.contains("TYPE=SUBTITLES") }.map(String.init)
        #expect(lines.count == 3)
        #expect(lines[0].contains("FORCED=YES") && lines[0].contains("DEFAULT=NO"))
        #expect(lines[1].contains("FORCED=NO") && lines[1].contains("DEFAULT=YES"))
        #expect(lines.prefix(2).allSatisfy { $0.contains("LANGUAGE=\"fr\"") })
        #expect(
            lines[2].contains("NAME=\"Full\"") && lines[2].contains("public.accessibility.describes-music-and-sound"))
        #expect(made.master.contains("SUBTITLES=\"subs\""))
        for number in 1...3 {
            var texts: [Int: String] = [:]
            for index in try made.durations("subs-\(number)").indices {
                texts[index] = try String(
                    contentsOfFile: "\(made.folder)/subs-\(number)/seg-\(index).vtt", encoding: .utf8)
            }
            try expectOracle(path, track: number - 1, texts)
        }
        #expect(try made.errors() == [])
        // Packaged once more, nothing of the first time stays.
        _ = try await Presentation(.success(path))
    }
}
