import Foundation
import Sluice
import SluiceAV
import SluiceCore
import TestTools
import Testing

@testable import EmbedHostParts

/// The host of docs/embedding.md, without its `main.swift`.
@Suite struct EmbedHostTests {
    /// The counts of ffprobe, stream by stream.
    @Test func theHostSinkGetsEveryPacketOfTheGraph() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 4)
        let film = folder.url.appending(path: "film.mkv").path()
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let graph = package.appending(path: "docs/examples/EmbedHost/packets.json").path()
        let counts = Locked([0, 0, 0])
        try await runGraph(graph, over: film) { packet in
            counts.withLock { $0[min(packet.stream.index, 2)] += 1 }
        }
        let probed = try ExternalTool.text(
            "ffprobe",
            ["-v", "error", "-count_packets", "-show_entries", "stream=nb_read_packets", "-of", "csv=p=0", film])
        let expected = probed.split(separator: "\n").compactMap { Int($0) }
        #expect(expected.count == 2)
        #expect(counts.withLock { $0 } == expected + [0])
    }

    /// curl gets the same bytes as a caller of the origin, whole and in part; the loop ends when it is told to.
    @Test func theOriginAnswersThroughTheHostsOwnServer() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 8)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let loop = HTTPLoop(listener: try Socket(listeningOn: 0), responder: origin)
        let running = Task { try await loop.run() }
        let base = "http://127.0.0.1:\(loop.listener.port)"
        let (plan, names) = try await origin.segments("/v1/\(folder.root)/film.mp4/~/")
        let segment = try await origin.get(plan + names[0])
        let saved = folder.url.appending(path: ".segment")
        func curl(_ arguments: String...) async throws -> String {
            try await BlockingCall.run { try ExternalTool.text("curl", ["-sS", "--max-time", "30"] + arguments) }
        }

        #expect(try await curl("\(base)/v1/\(folder.root)/film.mp4/~/master.m3u8").hasPrefix("#EXTM3U\n"))
        let status = try await curl("-o", saved.path(), "-w", "%{http_code}", base + plan + names[0])
        #expect(status == "200")
        #expect(try [UInt8](Data(contentsOf: saved)) == segment.bytes)
        let part = try await curl(
            "-o", saved.path(), "-w", "%{http_code}", "-H", "Range: bytes=10-19", base + plan + names[0])
        #expect(part == "206")
        #expect(try [UInt8](Data(contentsOf: saved)) == Array(segment.bytes[10...19]))
        #expect(try await curl("-I", "\(base)/healthz").contains("Content-Length: 3\r\n"))
        #expect(try await curl("-o", "/dev/null", "-w", "%{http_code}", "\(base)/none") == "404")

        loop.listener.shutDown()
        try await running.value
        await engine.stop()
    }
}

/// Runs what blocks on a thread of its own, so that the server under test keeps the pool.
private enum BlockingCall {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }
}
