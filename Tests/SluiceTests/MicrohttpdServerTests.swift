import Foundation
import Sluice
import SluiceCore
import Testing

@testable import SluiceServer

/// Answers by path; `/wait` answers when it is released or cancelled.
final class ToyResponder: RequestResponder {
    struct State {
        var waiting = 0
        var cancelled = 0
        var requests: [Request] = []
    }
    let state = Locked(State())
    let file: String
    static let fileBytes: [UInt8] = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) }

    init() throws {
        file = FileManager.default.temporaryDirectory.appending(path: "sluice-\(UUID().uuidString)").path
        try Data(Self.fileBytes).write(to: URL(filePath: file))
    }

    deinit { try? FileManager.default.removeItem(atPath: file) }

    /// 1,000 chunks that overlap one another's storage, 250,000 bytes in all.
    static let chunks: [ByteChunk] = (0..<1000).map { index in
        ByteChunk((0..<300).map { UInt8(truncatingIfNeeded: index &* 7 &+ $0) }, 25..<275)
    }

    /// 5,000 chunks, 300,000 bytes in all: a long segment of short samples.
    static let pieces: [ByteChunk] = (0..<5_000).map { index in
        ByteChunk((0..<60).map { UInt8(truncatingIfNeeded: index &* 3 &+ $0) })
    }

    func respond(to request: Request) async -> Response {
        state.withLock { $0.requests.append(request) }
        switch request.path {
        case "/hello": return .text("hello")
        case "/echo": return Response(status: 200, type: "application/octet-stream", body: .bytes(request.body))
        case "/file":
            return Response(
                status: 200, headers: ["Content-Type": "video/mp4", "ETag": "\"f\""],
                body: .file(path: file, size: Int64(Self.fileBytes.count)))
        case "/lost": return Response(body: .file(path: file + ".lost", size: 10))
        case "/chunks": return Response(status: 200, type: "video/mp4", body: .chunks(Self.chunks))
        case "/vectors": return Response(status: 200, type: "video/mp4", body: .chunks(Array(Self.chunks.prefix(300))))
        case "/pieces": return Response(status: 200, type: "video/mp4", body: .chunks(Self.pieces))
        case "/none": return Response(status: 204)
        case "/wait":
            state.withLock { $0.waiting += 1 }
            // An hour: only a cancellation ends it within a test.
            do { try await Task.sleep(for: .seconds(3600)) } catch { state.withLock { $0.cancelled += 1 } }
            return .text("late")
        default: return .notFound("no \(request.path)")
        }
    }

    /// Waits, at most five seconds, until `condition` holds.
    func reaches(_ condition: @Sendable (State) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < end {
            if state.withLock({ condition($0) }) { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return false
    }
}

/// Starts a server for one test and stops it at the test's end.
func withServer(
    _ change: (inout ServerOptions) -> Void = { _ in }, _ body: (MicrohttpdServer, ToyResponder) async throws -> Void
) async throws {
    var options = ServerOptions()
    options.port = 0
    change(&options)
    let responder = try ToyResponder()
    let server = try MicrohttpdServer(options: options, responder: responder)
    do { try await body(server, responder) } catch {
        await server.stop(grace: .zero)
        throw error
    }
    await server.stop()
}

@Suite struct MicrohttpdServerTests {
    @Test func answersAndKeepsTheConnection() async throws {
        try await withServer { server, responder in
            #expect(server.port != 0)
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                let hello = try client.request("GET", "/hello?x=1")
                #expect(hello.status == 200)
                #expect(hello.text == "hello")
                #expect(hello["Content-Type"] == "text/plain; charset=utf-8")
                #expect(hello["Access-Control-Allow-Origin"] == "*")
                #expect(hello["Access-Control-Expose-Headers"]?.contains("Content-Range") == true)
                #expect(hello["Date"] != nil)
                let head = try client.request("HEAD", "/hello")
                #expect(head.status == 200)
                #expect(head["Content-Length"] == "5")
                #expect(try client.request("GET", "/nowhere").status == 404)
                #expect(try client.request("GET", "/none").status == 204)
                #expect(try client.request("POST", "/echo", body: "some body").text == "some body")
                #expect(
                    try client.request("GET", "/hello").text == "hello",
                    "after HEAD, 204 and POST nothing is out of step")
            }
            let requests = responder.state.withLock { $0.requests }
            #expect(requests.first?.queryText == "x=1")
            #expect(requests.first?.headers["host"] == "test")
            #expect(requests.first?.peer == "127.0.0.1")
        }
    }

    /// libmicrohttpd keeps a list of the pieces beside the request's header, and aborts where there is no room for both.
    @Test func sendsAnyNumberOfPiecesBesideAnyHeader() async throws {
        try await withServer { server, _ in
            let (port, pieces) = (server.port, ToyResponder.pieces.joined())
            let chunks = Array(ToyResponder.chunks.prefix(300)).joined()
            try await onThread {
                for size in stride(from: 0, through: 30_000, by: 1_500) {
                    let header = "X-Filler: " + String(repeating: "x", count: size)
                    for (path, bytes) in [("/pieces", pieces), ("/vectors", chunks)] {
                        let answer = try RawClient(port: port).request("GET", path, header)
                        #expect(answer.status == 200 && answer.body == bytes, "\(path) beside \(size) bytes")
                    }
                }
                for count in stride(from: 0, through: 350, by: 25) {
                    let query = (0..<count).map { "a\($0)=1" }.joined(separator: "&")
                    let answer = try RawClient(port: port).request("GET", "/vectors?\(query)", "Cookie: a=b; c=d")
                    #expect(answer.status == 200 && answer.body == chunks, "\(count) arguments")
                    let plain = try RawClient(port: port).request("GET", "/vectors?\(query)")
                    #expect(plain.status == 200 && plain.body == chunks, "\(count) arguments")
                }
            }
        }
    }

    /// What a client sends ahead takes room in the same memory.
    @Test func sendsPiecesWhileTheNextRequestsWait() async throws {
        try await withServer { server, _ in
            let (port, pieces) = (server.port, Array(ToyResponder.chunks.prefix(300)).joined())
            try await onThread {
                let client = try RawClient(port: port)
                let filler = String(repeating: "x", count: 4_000)
                let request = "GET /vectors HTTP/1.1\r\nHost: test\r\nX-Filler: \(filler)\r\n\r\n"
                try client.send(String(repeating: request, count: 12))
                for _ in 0..<12 {
                    let answer = try client.answer(to: "GET")
                    #expect(answer.status == 200 && answer.body == pieces)
                }
            }
        }
    }

    @Test func vectorsAreOnlyForRequestsThatLeaveRoom() {
        let rule = VectorRule(connectionBytes: 32_768)
        let usual = Request(path: "/v1/film/video/seg-1.m4s", headers: ["Host": "a", "Range": "bytes=0-"])
        #expect(rule.pieces(for: usual) > 350)
        #expect(rule.pieces(for: Request(path: "/", headers: ["Cookie": "a=b"])) == 0)
        #expect(rule.pieces(for: Request(path: "/" + String(repeating: "a", count: 9_000))) == 0)
        #expect(rule.pieces(for: Request(path: "/", queryText: String(repeating: "a&", count: 300))) == 0)
        #expect(VectorRule(connectionBytes: 4_096).pieces(for: Request(path: "/")) == 0)
    }

    @Test func sendsPartsOfFilesAndChunks() async throws {
        try await withServer { server, _ in
            let (port, fileBytes) = (server.port, ToyResponder.fileBytes)
            let chunkBytes = ToyResponder.chunks.joined()
            try await onThread {
                let client = try RawClient(port: port)
                for (path, bytes) in [("/file", fileBytes), ("/chunks", chunkBytes)] {
                    let whole = try client.request("GET", path)
                    #expect(whole.status == 200)
                    #expect(whole["Accept-Ranges"] == "bytes")
                    #expect(whole.body == bytes)
                    for (header, range) in [
                        ("0-0", 0..<1), ("1000-1999", 1000..<2000), ("100000-", 100_000..<bytes.count),
                        ("-10", bytes.count - 10..<bytes.count), ("249-251", 249..<252),
                    ] {
                        let part = try client.request("GET", path, "Range: bytes=\(header)")
                        #expect(part.status == 206)
                        #expect(
                            part["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)")
                        #expect(part["Content-Length"] == "\(range.count)")
                        #expect(part.body == Array(bytes[range]), "\(path) \(header)")
                    }
                    let outside = try client.request("GET", path, "Range: bytes=\(bytes.count)-")
                    #expect(outside.status == 416)
                    #expect(outside["Content-Range"] == "bytes */\(bytes.count)")
                    #expect(outside.body.isEmpty)
                    let head = try client.request("HEAD", path, "Range: bytes=0-0")
                    #expect(head.status == 200)
                    #expect(head["Content-Length"] == "\(bytes.count)")
                }
                #expect(try client.request("GET", "/file", "If-None-Match: \"f\"").status == 304)
                #expect(try client.request("GET", "/lost").status == 500)
                #expect(try client.request("GET", "/hello").text == "hello")
            }
        }
    }

    /// A client that connects at the moment of the stop is turned away, and the listener is closed once.
    @Test func manyStopsUnderConnectingClientsLeaveNothingOpen() async throws {
        let open = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
        let before = try open()
        for _ in 0..<60 {
            let responder = try ToyResponder()
            var options = ServerOptions()
            options.port = 0
            let server = try MicrohttpdServer(options: options, responder: responder)
            let port = server.port
            async let clients: Void = onThread {
                for _ in 0..<20 { _ = try? RawClient(port: port).request("GET", "/hello") }
            }
            await server.stop(grace: .zero)
            try await clients
        }
        // Each server that kept its listener, its epoll sets or a client would add to the count.
        #expect(try open() < before + 60)
    }

    @Test func answersPreflights() async throws {
        try await withServer { server, _ in
            let port = server.port
            try await onThread {
                let answer = try RawClient(port: port).request(
                    "OPTIONS", "/file", "Origin: http://page", "Access-Control-Request-Headers: range")
                #expect(answer.status == 204)
                #expect(answer["Access-Control-Allow-Methods"]?.contains("GET") == true)
                #expect(answer["Access-Control-Allow-Headers"]?.contains("Range") == true)
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                #expect(try RawClient(port: port).request("OPTIONS", "*").status == 204)
            }
        }
    }

    @Test func answersFiftyPipelinedRequestsInOrder() async throws {
        try await withServer { server, _ in
            let port = server.port
            try await onThread {
                let client = try RawClient(port: port)
                let paths = (0..<50).map { $0 % 3 == 0 ? "/hello" : "/nowhere-\($0)" }
                try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
                for path in paths {
                    #expect(try client.answer().text == (path == "/hello" ? "hello" : "no \(path)\n"))
                }
            }
        }
    }

    @Test func refusesWhatIsOutsideItsLimits() async throws {
        try await withServer {
            $0.bodyBytes = 1000
        } _: { server, responder in
            let port = server.port
            try await onThread {
                let large = String(repeating: "x", count: 1001)
                #expect(try RawClient(port: port).request("POST", "/echo", body: large).status == 413)
                #expect(
                    try RawClient(port: port).request("POST", "/echo", body: String(large.dropLast())).body.count
                        == 1000)
                let unsized = try RawClient(port: port)
                try unsized.send(
                    "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n\(large)\r\n0\r\n\r\n")
                #expect(unsized.isClosedByServer())
                #expect(try RawClient(port: port).request("DELETE", "/hello").status == 405)
                let many = (0..<120).map { "X-\($0): y" }.joined(separator: "\r\n")
                #expect(try RawClient(port: port).request("GET", "/hello", many).status == 431)
                let long = try RawClient(port: port).request("GET", "/" + String(repeating: "a", count: 40_000))
                #expect((400...499).contains(long.status))
                #expect(try RawClient(port: port).request("GET", "nonsense").status == 400)
                #expect(try RawClient(port: port).request("GET", "/hello").status == 200)
            }
            #expect(responder.state.withLock { $0.requests.count } == 2)
        }
    }

    @Test func cannotListenTwiceOnOnePort() async throws {
        try await withServer { server, responder in
            var options = ServerOptions()
            options.port = server.port
            #expect { _ = try MicrohttpdServer(options: options, responder: responder) } throws: { error in
                (error as? NodeFailure)?.code == .invalidOption
            }
            options.address = "not an address"
            #expect(throws: NodeFailure.self) { try MicrohttpdServer(options: options, responder: responder) }
        }
    }
}
