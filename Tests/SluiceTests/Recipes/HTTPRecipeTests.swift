import Foundation
import SluiceCore
import SluiceServer
import TestTools
import Testing

@testable import Sluice

/// T30: what HTTP asks of the server, through curl.
@Suite(.serialized) struct HTTPRecipeTests {
    private func curl(_ arguments: [String]) throws -> String {
        try ExternalTool.text("curl", ["-sS", "--max-time", "30"] + arguments)
    }

    /// Status, headers (names lowercased) and the body's length.
    private func exchange(
        _ url: String, _ arguments: [String] = []
    ) throws -> (status: Int, headers: [String: String], bytes: Int) {
        let file = FileManager.default.temporaryDirectory.appending(path: "t30-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = try curl(arguments + ["-D", "-", "-o", file.path(), url])
        let lines = text.split(whereSeparator: \.isNewline).map(String.init)
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        let size = try? FileManager.default.attributesOfItem(atPath: file.path())[.size] as? Int
        return (Int(lines.first?.split(separator: " ")[1] ?? "") ?? 0, headers, size ?? 0)
    }

    @Test func t30RangesConditionsTypesAndPipelines() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 20)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        var options = ServerOptions()
        options.port = 0
        let server = try MicrohttpdServer(options: options, responder: origin)
        let host = "http://127.0.0.1:\(server.port)"
        let base = "/v1/\(folder.root)/film.mkv/~/"
        let (plan, names) = try await origin.segments(base)
        let segment = host + plan + names[1]
        let whole = try exchange(segment)
        #expect(whole.status == 200 && whole.headers["content-length"] == "\(whole.bytes)" && whole.bytes > 1_000)
        #expect(whole.headers["transfer-encoding"] == nil)
        #expect(whole.headers["content-type"] == "video/mp4")
        #expect(whole.headers["access-control-allow-origin"] == "*")
        for (range, length, text) in [
            ("0-99", 100, "bytes 0-99/\(whole.bytes)"),
            ("100-", whole.bytes - 100, "bytes 100-\(whole.bytes - 1)/\(whole.bytes)"),
            ("-50", 50, "bytes \(whole.bytes - 50)-\(whole.bytes - 1)/\(whole.bytes)"),
        ] {
            let part = try exchange(segment, ["-r", range])
            #expect(part.status == 206 && part.bytes == length && part.headers["content-range"] == text, "\(range)")
            #expect(part.headers["content-length"] == "\(length)")
        }
        let outside = try exchange(segment, ["-r", "999999999-"])
        #expect(outside.status == 416 && outside.headers["content-range"] == "bytes */\(whole.bytes)")
        let head = try exchange(segment, ["-I"])
        #expect(head.status == 200 && head.headers["content-length"] == "\(whole.bytes)")
        let tag = try #require(whole.headers["etag"])
        let known = try exchange(segment, ["-H", "If-None-Match: \(tag)"])
        #expect(known.status == 304 && known.bytes == 0)
        let preflight = try exchange(segment, ["-X", "OPTIONS"])
        #expect([200, 204].contains(preflight.status) && preflight.headers["access-control-allow-methods"] != nil)
        #expect(try exchange(host + base + "master.m3u8").headers["content-type"] == "application/vnd.apple.mpegurl")
        let sound = try exchange(host + plan + names[1].replacing("video", with: "audio-1"))
        #expect(sound.status == 200 && sound.headers["content-type"] == "audio/mp4")

        // Fifty on one connection.
        let urls = Array(repeating: segment, count: 50)
        let codes = try curl(
            ["-w", "%{http_code} %{num_connects} %{size_download}\n"]
                + urls.flatMap { ["-o", "/dev/null", $0] })
        let lines = codes.split(separator: "\n")
        #expect(lines.count == 50)
        #expect(lines.first == "200 1 \(whole.bytes)")
        #expect(lines.dropFirst().allSatisfy { $0 == "200 0 \(whole.bytes)" })
        for _ in 0..<20 { #expect(try exchange(host + base + "master.m3u8").status == 200) }
        #expect(await engine.openTitles().count == 1)
        // Somebody who leaves in the middle of a body takes nobody with them.
        try ExternalTool.run("sh", ["-c", "curl -s --max-time 0.001 -o /dev/null '\(segment)'; true"])
        #expect(try exchange(segment).bytes == whole.bytes)
        async let stopped: Void = engine.stop()
        await server.stop(grace: .seconds(1))
        await stopped
    }
}
