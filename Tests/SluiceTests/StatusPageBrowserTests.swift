import Foundation
import SluiceCore
import SluiceServer
import Testing

@testable import Sluice

/// The page in a real browser, against a real server and a film. `HardOrigin` makes the server difficult.
@Suite(.serialized, .enabled(if: Chromium.path != nil)) struct StatusPageBrowserTests {
    private static let video = "document.querySelector('video')"
    /// The film's pictures and sound are 40 s of 4 s segments.
    private static let seconds = 40

    /// - Parameter query: of the page's address, from its `?` on.
    private func withPage(
        _ access: AccessPolicy = .open, query: String = "", sounds: [String] = ["aac"],
        _ body: (Chromium, String, HardOrigin) async throws -> Void
    ) async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: Self.seconds, sounds: sounds)
        let engine = try folder.engine { $0.access = access }
        let origin = HardOrigin(origin: Origin(engine: engine))
        var options = ServerOptions()
        options.port = 0
        let server = try MicrohttpdServer(options: options, responder: StatusPage(before: origin))
        do {
            let address = "http://127.0.0.1:\(server.port)/\(query)"
            try await body(try Chromium(), "\(address)#play=v1/\(folder.root)/film.mkv/~/master.m3u8", origin)
        } catch {
            await server.stop(grace: .zero)
            await engine.stop()
            throw error
        }
        await server.stop()
        await engine.stop()
    }

    private func seek(_ browser: Chromium, to time: Int) async throws {
        _ = try await browser.evaluate("\(Self.video).currentTime = \(time)")
        let lands = try await browser.waits(
            for: "!\(Self.video).seeking && \(Self.video).readyState >= 3 && \(Self.video).currentTime > \(time) + 0.3")
        let place = try await browser.number("\(Self.video).currentTime")
        #expect(lands, "seek to \(time) stays at \(place)")
        #expect(place < Double(time) + 15)
    }

    /// The page hands its signature on: to the list, to the playlists and to everything below them.
    @Test(arguments: ["feeder", "auto"]) func playsBehindAToken(_ engine: String) async throws {
        let access = AccessPolicy(token: "a long enough token")
        let expiry = Int64(Date().timeIntervalSince1970) + 600
        let signature = try #require(access.signature(for: .everything, expiry: expiry))
        try await withPage(access, query: "?v=\(signature)") { browser, address, _ in
            try await browser.open("\(address)&engine=\(engine)")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 1"))
            try await seek(browser, to: 33)
        }
        try await withPage(access) { browser, address, _ in
            try await browser.open("\(address)&engine=\(engine)")
            #expect(
                try await browser.waits(for: "document.querySelector('#server').textContent.startsWith('the address')"))
        }
    }

    /// Chromium has no AC-3. Without being led elsewhere it refuses such a title whole, because its CODECS name it.
    @Test(arguments: ["renditions", "muxed"]) func playsTheSoundThatTheBrowserHas(_ shape: String) async throws {
        try await withPage(sounds: ["ac3", "aac"]) { browser, address, _ in
            try await browser.open("\(address)&engine=feeder&shape=\(shape)")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 1"))
            #expect(
                try await browser.evaluate("document.querySelector('#player .message').dataset.kind || ''") == "\"\"")

            // The browser's own HLS, at an address that says nothing of the browser.
            let options = shape == "muxed" ? "~shape=muxed" : "~"
            let master = address.replacing("#play=", with: "").replacing("/~/", with: "/\(options)/")
            try await browser.open("\(address)&engine=native&shape=\(shape)")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 0.5"))
            _ = try await browser.evaluate("(\(Self.video).src = '\(master)', \(Self.video).play().catch(String))")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 1 && !\(Self.video).error"), "\(master)")
        }
    }

    @Test(arguments: ["feeder", "auto"], ["renditions", "muxed"])
    func playsSeeksEndsAndShowsTheGraph(_ engine: String, _ shape: String) async throws {
        try await withPage { browser, address, _ in
            try await browser.open("\(address)&engine=\(engine)&shape=\(shape)")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 1"))
            let start = try await browser.number("\(Self.video).currentTime")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > \(start + 0.5)"), "it goes on")
            #expect(try await browser.number("\(Self.video).videoWidth") == 320)
            #expect(try await browser.waits(for: "Math.abs(\(Self.video).duration - \(Self.seconds)) < 0.2"))
            // Forwards past what is loaded, back, and to the edge of a segment.
            for time in [33, 4, 20] { try await seek(browser, to: time) }

            #expect(try await browser.waits(for: "document.querySelectorAll('.graph .node').length > 4"))
            #expect(try await browser.waits(for: "document.querySelector('.graph .total').textContent.length > 3"))
            #expect(
                try await browser.evaluate("document.querySelector('#library .name').textContent") == "\"film.mkv\"")
            let summary = try await browser.evaluate("document.querySelector('#summary').textContent")
            #expect(summary.contains("H.264") && summary.contains("320×180"))

            _ = try await browser.evaluate("\(Self.video).currentTime = \(Self.seconds - 2)")
            #expect(try await browser.waits(for: "\(Self.video).ended"), "the stream ends")
            #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        }
    }

    @Test(arguments: ["feeder", "auto"]) func showsTheCuesOfASubtitleRendition(_ engine: String) async throws {
        try await withPage { browser, address, origin in
            origin.mode.withLock { $0 = .subtitles }
            try await browser.open("\(address)&engine=\(engine)")
            let cue = "[...\(Self.video).textTracks].flatMap((track) => [...(track.activeCues ?? [])])[0]"
            #expect(try await browser.waits(for: "\(cue)"))
            try await seek(browser, to: 30)
            #expect(try await browser.waits(for: "\(cue).startTime >= 30"))
            let shown = try await browser.evaluate("(({ startTime, text }) => [startTime, text])(\(cue))")
            #expect(shown.contains("<i>cue</i> of second 3"))
            _ = try await browser.evaluate(
                "(() => { const field = document.querySelector('[name=subtitles]'); field.value = -1; "
                    + "field.dispatchEvent(new Event('change')); })()")
            #expect(try await browser.waits(for: "!\(cue)"), "off is off")
        }
    }

    /// Every segment is refused once with Retry-After: 1.
    @Test func asksAgainAsTheServerSays() async throws {
        try await withPage { browser, address, origin in
            origin.mode.withLock { $0 = .busy }
            try await browser.open("\(address)&engine=feeder")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 2"))
            try await seek(browser, to: 30)
            #expect(origin.refusals.withLock { $0.count } >= 2)
        }
    }

    /// Segments 3 and 4, from 12 to 20 s, are marked as gaps.
    @Test func goesOverGaps() async throws {
        try await withPage { browser, address, origin in
            origin.mode.withLock { $0 = .gaps }
            try await browser.open("\(address)&engine=feeder&t=10")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 20.5"), "from playing into it")
            _ = try await browser.evaluate("\(Self.video).currentTime = 15")
            #expect(
                try await browser.waits(for: "!\(Self.video).seeking && \(Self.video).currentTime > 20"), "by a seek")
            #expect(origin.refusals.withLock { $0.isEmpty }, "gaps are not asked for")
        }
    }

    /// Media is there and the decoders stand all the same: three small moves, and no more.
    @Test func nudgesAPlayheadThatStandsInMedia() async throws {
        try await withPage { browser, address, _ in
            try await browser.open("\(address)&engine=feeder")
            #expect(try await browser.waits(for: "\(Self.video).currentTime > 2"))
            _ = try await browser.evaluate(
                """
                (async () => {
                    const video = \(Self.video);
                    video.playbackRate = 0;
                    await new Promise((resolve) => setTimeout(resolve, 500));
                    window.stood = video.currentTime;
                    Object.defineProperty(video, "readyState", { get: () => 2 });
                })()
                """)
            #expect(try await browser.waits(for: "\(Self.video).currentTime > window.stood + 0.25", seconds: 60))
            _ = try await browser.evaluate("new Promise((resolve) => setTimeout(resolve, 6000))")
            #expect(try await browser.number("\(Self.video).currentTime - window.stood") < 0.35)
        }
    }

    /// A browser without room for more than 10 s refuses what goes beyond.
    @Test func livesWithASmallBuffer() async throws {
        try await withPage { browser, address, _ in
            let play = address.firstIndex(of: "#") ?? address.endIndex
            try await browser.open(String(address[..<play]))
            #expect(try await browser.waits(for: "document.body.dataset.server === 'here'"))
            _ = try await browser.evaluate(
                """
                (() => {
                    const append = SourceBuffer.prototype.appendBuffer;
                    window.refused = 0;
                    SourceBuffer.prototype.appendBuffer = function (bytes) {
                        let held = 0;
                        for (let place = 0; place < this.buffered.length; place += 1) {
                            held += this.buffered.end(place) - this.buffered.start(place);
                        }
                        if (held < 10) return append.call(this, bytes);
                        window.refused += 1;
                        throw new DOMException("full", "QuotaExceededError");
                    };
                    location.hash = "\(address[play...].dropFirst())&engine=feeder&t=5";
                })()
                """)
            if try await !browser.waits(for: "\(Self.video).currentTime > 20", seconds: 60) {
                let state = try await browser.evaluate(
                    """
                    (({ currentTime, readyState, seeking, paused, buffered, error }) => [
                        currentTime, readyState, seeking, paused, error?.message, window.refused,
                        [...Array(buffered.length).keys()].map((place) => [buffered.start(place), buffered.end(place)]),
                    ])(\(Self.video))
                    """)
                Issue.record("it stands at \(state)")
            }
            #expect(try await browser.number("window.refused") > 0)
        }
    }
}
