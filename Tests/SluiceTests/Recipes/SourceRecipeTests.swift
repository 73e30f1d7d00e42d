import Foundation
import SluiceCore
import SluiceTestKit
import Testing

@testable import Sluice

/// T31, T40 and sources that change: what the outside does to a title.
@Suite(.serialized) struct SourceRecipeTests {
    private func remote(
        _ body: [UInt8], _ mode: @escaping @Sendable (FaultyOrigin.Request) -> FaultyOrigin.Mode
    ) async throws -> (segments: [[UInt8]], master: Int, reason: String, requests: Int) {
        let server = try FaultyOrigin(body: body, plan: mode)
        defer { server.stop() }
        let policy = try SourcePolicy(allowing: [
            "127.0.0.1:\(server.port)", "http://127.0.0.1:\(server.port)", "127.0.0.1",
        ])
        let folder = try FilmFolder()
        let engine = try folder.engine { $0.sources = policy }
        let origin = Origin(engine: engine)
        let base = "/v1/url/\(Base64URL.encode(Array(server.url.utf8)))/~shape=muxed/"
        let master = try await origin.get(base + "master.m3u8")
        var segments: [[UInt8]] = []
        if master.status == 200 {
            let (plan, names) = try await origin.segments(base)
            for name in names {
                let answer = try await origin.get(plan + name)
                #expect(answer.status == 200, "\(name): \(answer.text.prefix(200))")
                segments.append(answer.bytes)
            }
        }
        await engine.stop()
        return (segments, master.status, master.text, server.requestCount)
    }

    @Test func t31AServerThatMisbehavesGivesTheSameSegments() async throws {
        let folder = try FilmFolder()
        try folder.film("base.mkv", seconds: 20)
        let body = Array(try Data(contentsOf: folder.url.appending(path: "base.mkv")))
        let good = try await remote(body) { _ in .ok }
        #expect(good.master == 200 && good.segments.count == 5)
        #expect(good.requests < 20)
        let redirected = try await remote(body) { request in
            request.path == "/media.bin" ? .redirect(to: "/elsewhere.mkv") : .ok
        }
        #expect(redirected.segments == good.segments)
        let dropped = try await remote(body) { $0.index % 2 == 1 ? .drop(after: 50_000) : .ok }
        #expect(dropped.segments == good.segments)
        let chunked = try await remote(body) { _ in .chunked }
        #expect(chunked.segments == good.segments)
    }

    @Test func t31APageInsteadOfAFilmIsRefusedAtOnce() async throws {
        let begin = ContinuousClock.now
        let page = try await remote(FaultyOrigin.noise(10_000)) { _ in .html }
        #expect(page.master == 415)
        #expect(page.reason.contains("not-media"))
        #expect(ContinuousClock.now - begin < .seconds(1))
    }

    @Test func t40HostileFilesAndPathsAreRefusedAndTheOriginAnswersOn() async throws {
        let folder = try FilmFolder()
        try folder.film("base.mkv", seconds: 8)
        try folder.film("h.mp4", seconds: 8)
        func put(_ name: String, _ data: Data) throws { try data.write(to: folder.url.appending(path: name)) }
        try put("secret.m3u8", Data("#EXTM3U\n#EXTINF:4,\nfile:///etc/passwd\n".utf8))
        try put("joined.m3u8", Data("concat:/etc/hosts|/etc/passwd\n".utf8))
        try put("own.m3u8", Data("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nown.m3u8\n".utf8))
        try put("bomb.mpd", Data("<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"aaaa\">]><MPD>&a;</MPD>".utf8))
        try put("empty.mkv", Data())
        try put("long.srt", Data(repeating: 0x61, count: 10 << 20))
        var hostile = try Data(contentsOf: folder.url.appending(path: "h.mp4"))
        let sizes = try #require(hostile.range(of: Data("stsz".utf8)))
        // Version and flags, the common size, then the number of samples.
        hostile.replaceSubrange(sizes.upperBound + 8..<sizes.upperBound + 12, with: [0xFF, 0xFF, 0xFF, 0xFF])
        try put("h.mp4", hostile)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        for name in ["secret.m3u8", "joined.m3u8", "own.m3u8", "bomb.mpd", "empty.mkv", "long.srt"] {
            let begin = ContinuousClock.now
            let answer = try await origin.get("/v1/\(folder.root)/\(name)/~/master.m3u8")
            #expect(answer.status == 415, "\(name): \(answer.text)")
            #expect(!answer.text.contains("root:"))
            #expect(ContinuousClock.now - begin < .seconds(5))
        }
        let begin = ContinuousClock.now
        let table = try await origin.get("/v1/\(folder.root)/h.mp4/~/master.m3u8")
        #expect([200, 415].contains(table.status), "\(table.text)")
        #expect(ContinuousClock.now - begin < .seconds(5))

        let base = "/v1/\(folder.root)/base.mkv/~/"
        let (plan, names) = try await origin.segments(base)
        let long = String(repeating: "a", count: 10_000)
        for path in [
            "/v1/\(folder.root)/..%2f..%2fetc%2fpasswd/~/master.m3u8", "/v1/\(folder.root)/base%00.mkv/~/master.m3u8",
            "/v1/\(folder.root)/\(long)/~/master.m3u8", plan + "video/seg--1.m4s",
            plan + "video/seg-9223372036854775808.m4s", "/v1/..%2f..%2fetc%2fpasswd",
        ] {
            guard let request = Request(method: .get, target: path, peer: "192.0.2.7") else { continue }
            let status = await origin.respond(to: request).status
            #expect([400, 403, 404].contains(status), "\(path.prefix(80)): \(status)")
        }
        #expect(try await origin.get(plan + names[0]).status == 200)
        await engine.stop()
    }

    // MARK: - Sources that change

    /// The clients of a file that is cut off while it is served learn it, whatever they ask for.
    @Test(arguments: ["film.mkv", "film.mp4"]) func aFileThatShrinksIsGone(_ name: String) async throws {
        let folder = try FilmFolder()
        try folder.film(name, seconds: 60)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/\(name)/~/"
        let (plan, names) = try await origin.segments(base)
        #expect(try await origin.get(plan + names[0]).status == 200)
        let path = folder.url.appending(path: name).path()
        let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
        #expect(truncate(path, off_t(size / 3)) == 0)
        // Asked at once, and by many: those that a graph was working for, and those who come after.
        let answers = try await withThrowingTaskGroup(of: Answered.self) { tasks in
            for name in names.suffix(8) { tasks.addTask { try await origin.get(plan + name) } }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        for answer in answers {
            #expect(answer.status == 410, "\(answer.status) \(answer.text)")
            // Who asks after the change was noticed is told that the plan is over.
            let isTold = answer.text.hasPrefix("source-changed") || answer.text.contains("this plan is not current")
            #expect(isTold, "\(answer.text)")
        }
        try await Task.sleep(for: SourceWatch.freshness)
        let known = try await origin.get(plan + names[0])
        #expect(known.status == 410, "the store does not outlive its source: \(known.text)")
        await engine.stop()
    }

    @Test func anotherFilmUnderTheSameNameIsServedFromTheNextMasterPlaylistOn() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 20)
        try folder.film("next.mp4", seconds: 40)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mp4/~/"
        let (old, before) = try await origin.segments(base)
        #expect(before.count == 5)
        _ = try await origin.get(old + before[0])
        let (from, to) = (folder.url.appending(path: "next.mp4").path(), folder.url.appending(path: "film.mp4").path())
        #expect(rename(from, to) == 0)
        let (new, after) = try await origin.segments(base)
        #expect(after.count == 10 && new != old)
        #expect(try await origin.get(old + before[0]).status == 410)
        #expect(try await origin.get(new + after[9]).status == 200)
        #expect(unlink(to) == 0)
        let gone = try await origin.get(new + after[0])
        #expect(gone.status == 410 && gone.text.hasPrefix("source-changed"))
        #expect(try await origin.get(base + "master.m3u8").status == 404)
        await engine.stop()
    }

    @Test func pipesDevicesAndEmptyFilesAreNotMounted() throws {
        let folder = try FilmFolder()
        let pipe = folder.url.appending(path: "pipe.mkv").path()
        #expect(mkfifo(pipe, 0o600) == 0)
        try Data().write(to: folder.url.appending(path: "empty.mkv"))
        var library = Library()
        for (path, code) in [
            (pipe, NodeFailure.Code.unsupported), ("/dev/null", .unsupported),
            (folder.url.appending(path: "empty.mkv").path(), .notMedia),
        ] {
            let failure = #expect(throws: NodeFailure.self) { try library.mount(path) }
            #expect(failure?.code == code, "\(path)")
        }
        #expect(library.roots.isEmpty)
    }
}
