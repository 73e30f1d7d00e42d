import Foundation
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// Beacons of players, and the tiers that follow from their errors.
@Suite(.serialized) struct BeaconTests {
    @Test(arguments: [
        (FallbackTier.full, "-11868", true, FallbackTier.plain), (.full, "-11848", false, .media),
        (.plain, "-1002", true, .media), (.media, "-11868", true, .media), (.full, "-1009", true, .full),
        (.full, "bufferAddCodecError", true, .plain), (.plain, "4003", true, .media), (.full, "", true, .full),
        (.full, "no-track", false, .media),
    ])
    func eachRefusalLeadsToLess(tier: FallbackTier, code: String, hasClaim: Bool, expected: FallbackTier) {
        #expect(FallbackRule.next(tier, after: code, hasClaim: hasClaim) == expected)
    }

    @Test func beaconsAreRead() throws {
        let plain = try ViewerBeacon(Array(#"{"event":"position","position":12.5,"playing":true,"more":[1]}"#.utf8))
        #expect(plain.event == .position && plain.position == 12.5 && plain.isPlaying == true)
        let failed = try ViewerBeacon(Array(#"{"event":"error","code":-11848,"position":3}"#.utf8))
        #expect(failed.code == "-11848" && failed.position == 3)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"event":"else"}"#, #"{"event":"error"}"#, #"{"event":"stall","position":-1}"#,
        #"{"event":"stall","position":"3"}"#, #"{"event":"position","playing":1}"#,
        #"{"event":"stall","position":1e300}"#,
        #"{"event":"error","code":""}"#, #"{"event":"stall","event":"stall"}"#,
    ])
    func whatIsNoBeaconIsRefused(text: String) {
        let failure = #expect(throws: NodeFailure.self) { try ViewerBeacon(Array(text.utf8)) }
        #expect(failure?.code == .invalidOption)
    }

    @Test func theTableForgetsThoseUsedLongestAgo() {
        let table = FallbackTable()
        for number in 0..<(FallbackTable.limit + 5) { table.set(.plain, "\(number)", title: "a") }
        #expect(table.count == FallbackTable.limit)
        #expect(table.tier("0", title: "a") == .full && table.tier("1004", title: "b") == .plain)
        for number in 0...FallbackTable.titleLimit { table.set(.media, "1004", title: "\(number)") }
        #expect(table.tier("1004", title: "0") == .plain && table.tier("1004", title: "1") == .media)
    }

    private func post(_ origin: Origin, _ path: String, _ body: String, peer: String = "192.0.2.1") async -> Response {
        let mark = path.firstIndex(of: "?")
        return await origin.respond(
            to: Request(
                method: .post, path: String(mark.map { path[..<$0] } ?? path[...]),
                queryText: mark.map { String(path[path.index(after: $0)...]) }, body: Array(body.utf8), peer: peer))
    }

    private func get(_ origin: Origin, _ path: String, peer: String = "192.0.2.1") async -> Response {
        await origin.respond(to: Request(path: path, peer: peer))
    }

    private func text(_ response: Response) -> String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    @Test func aPlayerThatRefusesDolbyVisionIsGivenLessStepByStep() async throws {
        let folder = try FilmFolder()
        try VisionFilm.film(
            folder.url.appending(path: "eight.mkv").path(),
            adding: [VisionFilm.bytes(VisionFilm.RPU.profile81)])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/eight.mkv/"
        #expect(text(await get(origin, base + "~/master.m3u8")).contains("SUPPLEMENTAL-CODECS"))
        let first = await post(origin, base + "~/events", #"{"event":"error","code":-11868}"#)
        #expect(first.status == 200 && first.headers["Cache-Control"] == "no-store")
        #expect(text(first).contains(#""tier":"plain""#) && text(first).contains("../~claim=base/master.m3u8"))

        let led = await get(origin, base + "~/master.m3u8")
        #expect(led.status == 302 && led.headers["Location"] == "../~claim=base/master.m3u8")
        let plain = await get(origin, base + "~claim=base/master.m3u8")
        #expect(plain.status == 200 && !text(plain).contains("SUPPLEMENTAL-CODECS"))
        #expect(text(plain).contains("VIDEO-RANGE=PQ"))
        let other = await get(origin, base + "~/master.m3u8", peer: "192.0.2.9")
        #expect(other.status == 200, "somebody else's player refused nothing")

        let second = await post(origin, base + "~claim=base/events", #"{"event":"error","code":"-1002"}"#)
        #expect(text(second).contains(#""tier":"media""#))
        let media = await get(origin, base + "~claim=base/master.m3u8")
        let address = try #require(media.headers["Location"])
        #expect(media.status == 302 && address.hasSuffix("/video.m3u8"))
        let playlist = await get(origin, base + address.dropFirst(3))
        #expect(playlist.status == 200 && text(playlist).contains("#EXTINF"))

        var events: [EngineEvent] = []
        for await event in engine.events {
            events.append(event)
            if events.count == 3 { break }
        }
        let viewers = events.dropFirst().compactMap { if case .fallback(_, _, let tier, _) = $0 { tier } else { nil } }
        #expect(events.first == .dynamicMetadata(title: "\(folder.root)/eight.mkv", kinds: ["dv"]))
        #expect(viewers == ["plain", "media"])
        let numbers = engine.beacons.numbers
        #expect(numbers.events[.error] == 2 && numbers.fallbacks[.plain] == 1 && numbers.fallbacks[.media] == 1)
        await engine.stop()
    }

    @Test func aTokenNamesItsViewerAndPositionsAreShown() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 8)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/film.mkv/~/"
        let (plan, names) = try await origin.segments(base)
        #expect(await get(origin, plan + names[0]).status == 200)
        let noted = await post(origin, base + "events", #"{"event":"position","position":1.5}"#)
        let stalled = await post(origin, base + "events", #"{"event":"stall"}"#)
        #expect(noted.status == 204 && stalled.status == 204)
        let viewer = try #require(engine.viewers.current().first { $0.address == "192.0.2.1" })
        #expect(viewer.position == 1.5 && viewer.stalls == 1)

        _ = await post(origin, base + "events?v=abc", #"{"event":"error","code":-1002}"#)
        let same = await origin.respond(to: Request(path: base + "master.m3u8", queryText: "v=abc", peer: "192.0.2.1"))
        #expect(same.status == 302 && same.headers["Location"]?.hasSuffix("?v=abc") == true)
        #expect(await get(origin, base + "master.m3u8").status == 200)

        #expect(await post(origin, base + "events", "no").status == 400)
        #expect(await get(origin, base + "events").status == 405)
        #expect(await post(origin, base + "master.m3u8", "{}").status == 405)
        let long = String(repeating: " ", count: ViewerBeacon.limit) + "{}"
        #expect(await post(origin, base + "events", long).status == 413)
        await engine.stop()
    }
}
