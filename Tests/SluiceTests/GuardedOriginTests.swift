import Foundation
import SluiceCore
import SluiceTestKit
import Testing

@testable import Sluice

/// Tokens, signatures, remote sources and hostile paths, through `Origin.respond`.
@Suite(.serialized) struct GuardedOriginTests {
    @Test func aGuardedTitlePlaysFromItsSignedAddressAlone() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 20)
        let policy = AccessPolicy(token: "a long token")
        let engine = try folder.engine { $0.access = policy }
        let origin = Origin(engine: engine, wallClock: { 500 })
        let base = "/v1/\(folder.root)/film.mp4/~/"
        for path in [base + "master.m3u8", "/api/status", "/metrics"] {
            let refused = try await origin.get(path)
            #expect(refused.status == 401 && refused.headers["WWW-Authenticate"] == "Bearer", "\(path)")
            let shown = try await origin.get(path, ["Authorization": "Bearer a long token"])
            #expect(shown.status == 200, "\(path)")
        }
        #expect(try await origin.get("/healthz").status == 200)

        let scope = AccessPolicy.Scope.title([folder.root, "film.mp4"])
        let token = try #require(policy.signature(for: scope, expiry: 600))
        let master = try await origin.get(base + "master.m3u8?v=\(token)")
        #expect(master.status == 200)
        let video = try #require(master.lines.last)
        #expect(video.hasSuffix("/video.m3u8?v=\(token)"))
        let media = try await origin.get(base + video)
        let plan = base + video.split(separator: "/")[0] + "/"
        let section = try #require(media.lines.first { $0.hasPrefix("#EXT-X-MAP") })
        #expect(section.contains("video/init-0.mp4?v=\(token)"))
        for line in media.lines where !line.hasPrefix("#") {
            #expect(try await origin.get(plan + line).status == 200)
        }
        #expect(try await origin.get(plan + "video/seg-0.m4s").status == 401)
        let late = Origin(engine: engine, wallClock: { 601 })
        #expect(try await late.get(base + "master.m3u8?v=\(token)").status == 401)
        await engine.stop()
    }

    @Test func optionsInTheQueryMoveIntoThePath() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 10)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let answer = try await origin.get("/v1/\(folder.root)/film.mp4/~/master.m3u8?shape=muxed&v=tv-1")
        #expect(answer.status == 302)
        #expect(answer.headers["Location"] == "../~shape=muxed/master.m3u8?v=tv-1")
        #expect(try await origin.get("/v1/\(folder.root)/film.mp4/~/master.m3u8?shape=round").status == 400)
        #expect(try await origin.get("/v1/\(folder.root)/film.mp4/~/master.m3u8?v=tv-1").status == 200)
        await engine.stop()
    }

    @Test func aFileThatChangedIsPlannedAgainAndTheOldPlanIsGone() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 10)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mp4/~/"
        let old = try await origin.segments(base)
        #expect(try await origin.get(old.folder + old.names[0]).status == 200)
        try folder.film("film.mp4", seconds: 24)
        let new = try await origin.segments(base)
        #expect(new.folder != old.folder && new.names.count == 6)
        #expect(try await origin.get(old.folder + old.names[0]).status == 410)
        #expect(try await origin.get(new.folder + new.names[5]).status == 200)
        await engine.stop()
    }

    @Test func hostilePathsNameNothing() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 4)
        let secret = folder.url.deletingLastPathComponent().appending(path: "secret-\(folder.root).mp4")
        try FileManager.default.copyItem(at: folder.url.appending(path: "film.mp4"), to: secret)
        defer { try? FileManager.default.removeItem(at: secret) }
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "link.mp4"), withDestinationURL: secret)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let name = secret.lastPathComponent
        for path in [
            "/v1/\(folder.root)/../\(name)/~/master.m3u8", "/v1/\(folder.root)/..%2f\(name)/~/master.m3u8",
            "/v1/\(folder.root)/%2e%2e/\(name)/~/master.m3u8", "/v1/\(folder.root)/film.mp4%00.txt/~/master.m3u8",
            "/v1/\(folder.root)/film.mp4%zz/~/master.m3u8", "/v1/\(folder.root)//film.mp4/~/master.m3u8",
            "/v1/\(folder.root)/link.mp4/~/master.m3u8", "/v1//etc/passwd/~/master.m3u8", "/v1/~/master.m3u8",
            "/v1/\(folder.root)/film.mp4/~/../master.m3u8", "/v1/\(folder.root)/~/master.m3u8",
            "/v1/\(folder.root)/\(String(repeating: "a", count: 5_000)).mp4/~/master.m3u8",
            "/v1/\(folder.root)/film.mp4/~\(String(repeating: "a=b,", count: 5_000))/master.m3u8",
            "/v1/\(folder.root)/film.mp4/~/%ff/video.m3u8", "/v1/file%3A%2F%2F%2Fetc%2Fpasswd/~/master.m3u8",
            "/v1/url/~/master.m3u8", "/v1/url/not*base64/~/master.m3u8",
        ] {
            let status = try await origin.get(path).status
            #expect([400, 403, 404].contains(status), "\(path.prefix(80)): \(status)")
        }
        await engine.stop()
    }

    private func address(_ url: String) -> String { "/v1/url/\(Base64URL.encode(Array(url.utf8)))/~/master.m3u8" }

    @Test(arguments: [
        "http://127.0.0.1:1/a.mp4", "http://localhost:1/a.mp4", "http://[::1]:1/a.mp4",
        "http://[::ffff:127.0.0.1]:1/a.mp4", "http://[::ffff:7f00:1]:1/a.mp4", "http://2130706433:1/a.mp4",
        "http://0x7f.1:1/a.mp4", "http://0:1/a.mp4", "file:///etc/passwd", "ftp://127.0.0.1/a", "/etc/passwd",
        "http://films.example:1/a.mp4",
    ])
    func whatIsNotOnTheListIsNotAskedFor(_ url: String) async throws {
        let folder = try FilmFolder()
        let engine = try folder.engine { $0.sources = try! SourcePolicy(allowing: ["films.example.org", "*.test"]) }
        let status = try await Origin(engine: engine).get(address(url)).status
        #expect([400, 403].contains(status), "\(status)")
        await engine.stop()
    }

    /// The host is on the list, but its name resolves to this machine.
    @Test(arguments: ["localhost", "0x7f000001", "2130706433", "127.1", "ip6-localhost"])
    func aListedNameThatResolvesToAPrivateAddressIsRefused(_ host: String) async throws {
        let folder = try FilmFolder()
        let engine = try folder.engine { $0.sources = try! SourcePolicy(allowing: ["\(host):9"]) }
        let answer = try await Origin(engine: engine).get(address("http://\(host):9/a.mp4"))
        #expect([403, 404, 503].contains(answer.status), "\(answer.status) \(answer.text)")
        #expect(!answer.text.contains("refused to connect"))
        await engine.stop()
    }
}
