import Foundation
import SluiceCore
import SluiceNodes
import TestTools
import Testing

@testable import Sluice

@Suite struct SidecarNameTests {
    @Test func namesSayLanguageAndFlags() throws {
        let table: [(String, String?, Disposition, String?)] = [
            ("film.srt", nil, [], nil), ("film.en.srt", "en", [], nil), ("film.eng.forced.SRT", "eng", .forced, nil),
            ("film.pt-BR.ass", "pt-br", [], nil), ("film.de.sdh.vtt", "de", .hearingImpaired, nil),
            ("film.hi.srt", "hi", [], nil), ("film.en.hi.srt", "en", .hearingImpaired, nil),
            ("film.en.Directors.commentary.srt", "en", .commentary, "Directors"),
            ("film.fr.default.ssa", "fr", .isDefault, nil),
        ]
        for (name, language, disposition, title) in table {
            let found = try #require(SidecarName(name, beside: "film.mkv"), "\(name)")
            #expect(found.language == language, "\(name)")
            #expect(found.disposition == disposition, "\(name)")
            #expect(found.title == title, "\(name)")
        }
        #expect(SidecarName("film.en.srt", beside: "film.mkv")?.codec == "subrip")
        #expect(SidecarName("film.2.en.srt", beside: "film.2.mkv")?.language == "en")
    }

    @Test(arguments: ["film2.srt", "film.mkv", "other.srt", ".srt", "film", "film.srt.part", "filmen.srt"])
    func othersAreNotIts(name: String) {
        #expect(SidecarName(name, beside: "film.mkv") == nil)
    }
}

@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct SidecarServingTests {
    private func film(_ films: FilmFolder) throws { try films.film("film.mkv", seconds: 12) }

    private func texts(_ origin: Origin, _ base: String, _ rendition: String) async throws -> [String] {
        let (folder, names) = try await origin.segments(base, rendition)
        var texts: [String] = []
        for name in names { texts.append(try await origin.get(folder + name).text) }
        return texts
    }

    @Test func filesBesideTheFilmAreTracks() async throws {
        let film = try SubtitleFilm()
        try self.film(film.folder)
        let source = "1\n00:00:01,000 --> 00:00:05,000\nPříliš\n"
        _ = try film.write("film.cs.srt", source)
        try (Data([0xFF, 0xFE]) + (source.data(using: .utf16LittleEndian) ?? Data()))
            .write(to: film.folder.url.appending(path: "film.en.forced.srt"))
        _ = try film.write("film.de.sdh.vtt", "WEBVTT\n\n00:01.000 --> 00:05.000 line:0\nPříliš\n")
        _ = try film.write("other.srt", source)
        try FileManager.default.createSymbolicLink(
            at: film.folder.url.appending(path: "film.fr.srt"), withDestinationURL: URL(filePath: "/etc/passwd"))
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(film.folder.root)/film.mkv/~/"
        let lines = try await origin.get(base + "master.m3u8").lines.filter { $0.contains("TYPE=SUBTITLES") }
        #expect(lines.count == 3)
        #expect(lines.first?.contains("LANGUAGE=\"cs\"") == true)
        #expect(lines.dropFirst().first?.contains("describes-music") == true)
        #expect(lines.last?.contains("FORCED=YES") == true)
        for number in 1...3 {
            let texts = try await texts(origin, base, "subs-\(number)")
            #expect(texts.count { $0.contains("Příliš") } == 2, "subs-\(number)")
        }
        await engine.stop()
        // The same when packaged, and the validator has nothing against it.
        let made = try await Presentation(.success(film.folder.url.appending(path: "film.mkv").path()))
        #expect(made.master.split(separator: "\n").count { $0.contains("TYPE=SUBTITLES") } == 3)
        #expect(try made.errors() == [])
    }

    @Test func anotherFileIsAnotherPlan() async throws {
        let film = try SubtitleFilm()
        try self.film(film.folder)
        let path = try film.write("film.srt", "1\n00:00:01,000 --> 00:00:02,000\nold\n")
        let base = "/v1/\(film.folder.root)/film.mkv/~/"
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        let (folder, names) = try await origin.segments(base, "subs-1")
        _ = try film.write("film.srt", "1\n00:00:01,000 --> 00:00:02,000\nanother\n")
        #expect(try await origin.get(folder + names[0]).status == 410)
        await engine.stop()
        let fresh = try film.folder.engine()
        let (changed, _) = try await Origin(engine: fresh).segments(base, "subs-1")
        #expect(changed != folder)
        await fresh.stop()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func whatIsTooLargeOrUnreadableIsEmpty() async throws {
        let film = try SubtitleFilm()
        try self.film(film.folder)
        let line = Data("1\n00:00:01,000 --> 00:00:02,000\n".utf8) + Data(repeating: 0x78, count: 100 << 20)
        try line.write(to: film.folder.url.appending(path: "film.en.srt"))
        try Data((0..<4_096).map { _ in UInt8.random(in: 0...255) }).write(
            to: film.folder.url.appending(path: "film.fr.ass"))
        let engine = try film.folder.engine()
        let origin = Origin(engine: engine)
        for rendition in ["subs-1", "subs-2"] {
            for text in try await texts(origin, "/v1/\(film.folder.root)/film.mkv/~/", rendition) {
                #expect(text == "WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n\n")
            }
        }
        await engine.stop()
    }
}
