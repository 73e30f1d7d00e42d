import Foundation
import SluiceCore
import SluiceServer
import TestTools
import Testing

@testable import Sluice

/// Subtitles on the status page, in a real browser: texts at their times, pictures at their places.
@Suite(.serialized, .enabled(if: Chromium.path != nil && RecipeInput.isPresent)) struct SubtitlePageTests {
    private static let video = "document.querySelector('video')"

    private func withPage(
        _ make: (SubtitleFilm) throws -> Void, _ body: (Chromium, String) async throws -> Void
    ) async throws {
        let film = try SubtitleFilm()
        try make(film)
        let engine = try film.folder.engine()
        var options = ServerOptions()
        options.port = 0
        let server = try MicrohttpdServer(options: options, responder: StatusPage(before: Origin(engine: engine)))
        do {
            let address = "http://127.0.0.1:\(server.port)/#play=v1/\(film.folder.root)/film.mkv/~/master.m3u8"
            try await body(try Chromium(), address)
        } catch {
            await server.stop(grace: .zero)
            await engine.stop()
            throw error
        }
        await server.stop()
        await engine.stop()
    }

    private func choose(_ browser: Chromium, _ value: String) async throws {
        let field = "document.querySelector('[name=subtitles]')"
        #expect(try await browser.waits(for: "[...\(field).options].some((one) => one.value === '\(value)')"))
        _ = try await browser.evaluate(
            "(\(field).value = '\(value)', \(field).dispatchEvent(new Event('change', { bubbles: true })))")
    }

    @Test func textsStandAtTheirTimes() async throws {
        try await withPage { film in
            let text = try film.write("a.srt", SubtitleFilm.text)
            try film.film("film.mkv", texts: [(text, ["-disposition:s:0", "0"])])
        } _: { browser, address in
            try await browser.open("\(address)&engine=feeder")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 0.3"))
            try await choose(browser, "0")
            _ = try await browser.evaluate("(\(Self.video).pause(), \(Self.video).currentTime = 34)")
            let active = "[...(\(Self.video).textTracks[0]?.activeCues ?? [])].map((one) => one.text).join()"
            #expect(try await browser.waits(for: "\(active) === 'span'"))
            let start = try await browser.number("\(Self.video).textTracks[0].activeCues[0].startTime")
            let end = try await browser.number("\(Self.video).textTracks[0].activeCues[0].endTime")
            #expect(abs(start - 33) < 0.002)
            #expect(abs(end - 36.5) < 0.002)
        }
    }

    @Test func picturesStandAtTheirPlaces() async throws {
        try await withPage { film in
            let sup = film.folder.url.appending(path: "a.sup")
            let events: [DiscSubtitles.Event] = [
                .init(time: 2, boxes: [(480, 810, 960, 108)]), .init(time: 4, boxes: []),
            ]
            try Data(DiscSubtitles.file(events)).write(to: sup)
            try film.film("film.mkv", texts: [(sup.path(), [])], seconds: 20)
        } _: { browser, address in
            try await browser.open("\(address)&engine=feeder")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 0.3"))
            try await choose(browser, "1000")
            _ = try await browser.evaluate("(\(Self.video).pause(), \(Self.video).currentTime = 3)")
            let image = "document.querySelector('.pictures img')"
            #expect(try await browser.waits(for: "\(image)?.complete && \(image).naturalWidth === 960"))
            // The picture is 16:9 as the element is.
            let left = try await browser.number(
                "(\(image).getBoundingClientRect().left - \(Self.video).getBoundingClientRect().left) / \(Self.video).clientWidth"
            )
            let top = try await browser.number(
                "(\(image).getBoundingClientRect().top - \(Self.video).getBoundingClientRect().top) / \(Self.video).clientHeight"
            )
            #expect(abs(left - 0.25) < 0.01)
            #expect(abs(top - 0.75) < 0.01)
            _ = try await browser.evaluate("\(Self.video).currentTime = 6")
            #expect(try await browser.waits(for: "document.querySelectorAll('.pictures img').length === 0"))
        }
    }
}
