import Foundation
import Sluice
import SluiceCore
import SluiceTestKit
import TestTools
import Testing

@testable import SluiceServer

/// What the server does for and against its clients: compression, slowness, TLS.
@Suite(.serialized) struct ServerProtectionTests {
    private struct TextResponder: RequestResponder {
        static let text = (0..<200).map { "#EXTINF:4.0,\nvideo/seg-\($0).m4s\n" }.joined()
        func respond(to request: Request) async -> Response {
            var response = Response(type: "application/vnd.apple.mpegurl", body: .bytes(Array(Self.text.utf8)))
            response.headers["ETag"] = "\"p\""
            return response
        }
    }

    private func withTextServer(
        _ change: (inout ServerOptions) -> Void = { _ in }, _ body: (MicrohttpdServer) async throws -> Void
    ) async throws {
        var options = ServerOptions()
        options.port = 0
        change(&options)
        let server = try MicrohttpdServer(options: options, responder: TextResponder())
        do { try await body(server) } catch {
            await server.stop(grace: .zero)
            throw error
        }
        await server.stop()
    }

    /// gzip(1) unpacks what was packed here.
    @Test func playlistsArePackedForClientsThatTakeGzip() async throws {
        try await withTextServer { server in
            let port = server.port
            let (plain, packed, again, part) = try await onThread {
                let client = try RawClient(port: port)
                return (
                    try client.request("GET", "/"), try client.request("GET", "/", "Accept-Encoding: br, gzip;q=0.5"),
                    try client.request("GET", "/", "Accept-Encoding: gzip", "If-None-Match: \"p-gz\""),
                    try client.request("GET", "/", "Accept-Encoding: gzip", "Range: bytes=0-9")
                )
            }
            #expect(plain.text == TextResponder.text && plain["Content-Encoding"] == nil)
            #expect(plain["Vary"] == "Accept-Encoding" && plain["ETag"] == "\"p\"")
            #expect(packed["Content-Encoding"] == "gzip" && packed["ETag"] == "\"p-gz\"")
            #expect(packed.body.count < plain.body.count / 3)
            #expect(again.status == 304)
            #expect(part.status == 206 && part.body == Array(TextResponder.text.utf8.prefix(10)))
            let file = FileManager.default.temporaryDirectory.appending(path: "packed-\(UUID().uuidString).gz")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(packed.body).write(to: file)
            #expect(try ExternalTool.text("gzip", ["-dc", file.path()]) == TextResponder.text)
        }
    }

    @Test(arguments: [
        (["gzip"], true), (["br", "x-gzip"], true), (["*"], true), (["gzip;q=0"], false), (["gzip; q=0.0, br"], false),
        (["identity"], false), ([], false), (["GZIP;q=1"], true),
    ])
    func gzipIsUsedWhereItIsTaken(_ row: (fields: [String], accepts: Bool)) {
        #expect(Compression.accepts(row.fields) == row.accepts)
    }

    @Test func clientsThatTrickleTheirRequestAreCutOff() async throws {
        try await withTextServer({ $0.requestTimeout = .seconds(1) }) { server in
            let port = server.port
            let wasClosed = try await onThread {
                let client = try RawClient(port: port)
                _ = try client.request("GET", "/")
                // A byte every 100 ms is traffic, and no request.
                for byte in "GET / HTTP/1.1\r\nHost: test\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" {
                    do { try client.send(String(byte)) } catch { return true }
                    usleep(100_000)
                }
                return client.isClosedByServer()
            }
            #expect(wasClosed)
            #expect(server.statistics.slowClients == 1)
            #expect(await eventually { server.statistics.connections == 0 })
        }
    }

    @Test func aBodyMayTakeTheTimeThatItsSizeNeeds() {
        let rule = SlownessRule(grace: .seconds(60), slowestRate: 4_096)
        #expect(rule.time(forBody: 0) == .seconds(60))
        #expect(rule.time(forBody: 4_096_000) == .seconds(1_060))
    }

    @Test func servesOverTLSWithTheCertificateItIsGiven() async throws {
        let folder = try FilmFolder()
        let (certificate, key) = (folder.url.appending(path: "c.pem"), folder.url.appending(path: "k.pem"))
        try ExternalTool.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key.path(), "-out",
                certificate.path(), "-batch",
            ])
        let texts = try [certificate, key].map { try String(contentsOf: $0, encoding: .utf8) }
        try await withTextServer({
            $0.certificate = texts[0]
            $0.privateKey = texts[1]
        }) { server in
            let address = "https://127.0.0.1:\(server.port)/"
            let text = try await onThread {
                try ExternalTool.text("curl", ["-sS", "--cacert", certificate.path(), address])
            }
            #expect(text == TextResponder.text)
        }
        let failure = #expect(throws: NodeFailure.self) {
            var options = ServerOptions()
            options.certificate = "no certificate"
            options.privateKey = "no key"
            options.port = 0
            _ = try MicrohttpdServer(options: options, responder: TextResponder())
        }
        #expect(failure?.code == .invalidOption)
    }

    /// Bytes of an open file, whole and in part, as sendfile sends them.
    @Test func anOpenFileIsServedAfterItLostItsName() async throws {
        struct FileResponder: RequestResponder {
            let file: OpenFile
            func respond(to request: Request) async -> Response { Response(type: "video/mp4", body: .open(file)) }
        }
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 253) }
        let path = FileManager.default.temporaryDirectory.appending(path: "open-\(UUID().uuidString)").path()
        try Data(bytes).write(to: URL(filePath: path))
        let file = try OpenFile(path: path)
        try FileManager.default.removeItem(atPath: path)
        var options = ServerOptions()
        options.port = 0
        let server = try MicrohttpdServer(options: options, responder: FileResponder(file: file))
        let port = server.port
        let (whole, part) = try await onThread {
            let client = try RawClient(port: port)
            return (try client.request("GET", "/"), try client.request("GET", "/", "Range: bytes=100000-200000"))
        }
        #expect(whole.body == bytes)
        #expect(part.status == 206 && part.body == Array(bytes[100_000...200_000]))
        await server.stop()
    }
}
