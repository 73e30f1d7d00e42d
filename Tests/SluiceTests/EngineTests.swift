import Foundation
import SluiceBitstream
import SluiceCore
import SluiceGraph
import TestTools
import Testing

@testable import Sluice

/// A film from file to segments through `Origin.respond`, without a socket.
@Suite(.serialized) struct EngineTests {
    private final class Folder {
        let url: URL
        init() throws {
            url = FileManager.default.temporaryDirectory.appending(path: "films-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(at: url) }

        func make(_ name: String, _ arguments: [String]) throws {
            try ExternalTool.run(
                "ffmpeg", ["-v", "error", "-y", "-nostdin"] + arguments + [url.appending(path: name).path()])
        }

        func film(_ name: String) throws {
            try make(
                name,
                [
                    "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=30", "-f", "lavfi", "-i", "sine=r=48000:d=30",
                    "-c:v",
                    "libx264", "-preset", "ultrafast", "-bf", "2", "-g", "50", "-c:a", "aac",
                ])
        }

        func origin() throws -> (Origin, Engine, root: String) {
            var library = Library()
            try library.mount(url.path())
            let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Graphs")
            let engine = Engine(library: library, graphs: try GraphCatalog(directory: package.standardized.path()))
            return (Origin(engine: engine), engine, library.roots[0].name)
        }
    }

    private func get(_ origin: Origin, _ path: String) async -> (status: Int, bytes: [UInt8], headers: Headers) {
        let response = await origin.respond(to: Request(path: path))
        switch response.body {
        case .bytes(let bytes): return (response.status, bytes, response.headers)
        case .chunks(let chunks): return (response.status, chunks.joined(), response.headers)
        default: return (response.status, [], response.headers)
        }
    }

    private func playlist(_ bytes: [UInt8]) throws -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: ["mkv", "mp4"]) func everyListedSegmentIsServedAndTheOrderOfRequestsChangesNoByte(
        _ container: String
    ) async throws {
        let folder = try Folder()
        try folder.film("film.\(container)")
        let (origin, engine, root) = try folder.origin()
        let base = "/v1/\(root)/film.\(container)/~shape=muxed/"
        let master = await get(origin, base + "master.m3u8")
        #expect(master.status == 200)
        #expect(master.headers["Content-Type"] == "application/vnd.apple.mpegurl")
        let media = try #require(try playlist(master.bytes).last)
        let lines = try playlist(await get(origin, base + media).bytes)
        #expect(lines.contains("#EXT-X-ENDLIST"))
        let folderOfPlan = base + media.split(separator: "/")[0] + "/"
        let segments = lines.filter { !$0.hasPrefix("#") }
        #expect((7...8).contains(segments.count), "30 s in segments of 4 s")

        // Backwards and from the middle first: every one of them moves the producer.
        var shuffled: [String: [UInt8]] = [:]
        for name in segments.reversed() {
            let answer = await get(origin, folderOfPlan + name)
            #expect(answer.status == 200, "\(name)")
            shuffled[name] = answer.bytes
        }
        await engine.stop()

        let (second, engine2, _) = try folder.origin()
        for name in segments {
            let answer = await get(second, folderOfPlan + name)
            #expect(answer.bytes == shuffled[name], "\(name) from a straight run")
        }
        let section = await get(second, folderOfPlan + "video/init-0.mp4")
        #expect(section.status == 200)

        // An independent reader finds every picture and sound of the source.
        let whole = folder.url.appending(path: "whole.mp4")
        var bytes = section.bytes
        for name in segments { bytes += shuffled[name] ?? [] }
        try Data(bytes).write(to: whole)
        let counts = try frames(whole)
        #expect(counts.video == 750)
        #expect(counts.audio >= 1_406 && counts.audio <= 1_408)
        await engine2.stop()
    }

    private func frames(_ file: URL) throws -> (video: Int, audio: Int) {
        func count(_ stream: String) throws -> Int {
            let text = try ExternalTool.text(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", stream, "-count_frames", "-show_entries", "stream=nb_read_frames",
                    "-of", "default=nk=1:nw=1", file.path(),
                ])
            return Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
        }
        return (try count("v:0"), try count("a:0"))
    }

    @Test func refusesWithAStatusThatSaysWhatToDo() async throws {
        let folder = try Folder()
        try folder.film("film.mkv")
        try Data("no film at all".utf8).write(to: folder.url.appending(path: "note.txt"))
        let (origin, engine, root) = try folder.origin()
        let base = "/v1/\(root)/"
        let plan = try playlist(await get(origin, base + "film.mkv/~/master.m3u8").bytes).last?.prefix(8) ?? ""
        for (path, status) in [
            ("none.mkv/~/master.m3u8", 404), ("film.mkv/~color=blue/master.m3u8", 400),
            ("note.txt/~/master.m3u8", 415), ("film.mkv/~/00000000/video.m3u8", 410),
            ("film.mkv/~/\(plan)/audio-9.m3u8", 404), ("film.mkv/~/\(plan)/video/seg-999.m4s", 404),
            ("film.mkv/~/\(plan)/video/init-7.mp4", 404), ("film.mkv/~/\(plan)/video/seg-0.m4s", 200),
        ] {
            #expect(await get(origin, base + path).status == status, "\(path)")
        }
        let wrongMethod = await origin.respond(to: Request(method: .post, path: base + "film.mkv/~/master.m3u8"))
        #expect(wrongMethod.status == 405)
        await engine.stop()
    }

    private func isReady(_ fetched: Fetched) -> Bool { if case .ready = fetched { true } else { false } }

    @Test func aClientThatGoesAwayEndsItsWait() async throws {
        let folder = try Folder()
        try folder.film("film.mkv")
        let (origin, engine, root) = try folder.origin()
        let master = await get(origin, "/v1/\(root)/film.mkv/~/master.m3u8")
        #expect(master.status == 200)
        let title = try #require(await engine.openTitles().first)
        let key = SegmentKey(rendition: "video", role: .media(index: 3))
        let waits = (0..<20).map { _ in
            Task { isReady(await title.producers.fetch(key, deadline: .seconds(20))) }
        }
        for wait in waits { wait.cancel() }
        for wait in waits { _ = await wait.value }
        #expect(title.producers.waiting == 0)
        #expect(isReady(await title.producers.fetch(key, deadline: .seconds(20))))
        await engine.stop()
        #expect(title.producers.running == 0)
    }
}
