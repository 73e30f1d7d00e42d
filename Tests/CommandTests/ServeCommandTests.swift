import Foundation
import Testing

/// `sluice serve` as a process of its own, asked by curl.
@Suite(.enabled(if: Sample.hasTools), .serialized) struct ServeCommandTests {
    /// A running server; stopped with the value.
    private final class Serving {
        let process = Process()
        let first: String
        private let output = Pipe()

        /// - Parameter errors: where its error stream goes.
        init(_ arguments: [String], plans: String = "off", errors: FileHandle = .nullDevice) throws {
            guard let program = Subprocess.program else { throw CocoaError(.fileNoSuchFile) }
            process.executableURL = program
            process.arguments =
                [
                    "serve", "--port", "0", "--plans", plans, "--graphs",
                    Subprocess.packageRoot.appending(path: "Graphs").path(),
                ]
                + arguments
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = FileHandle.nullDevice
            try process.run()
            var text = Data()
            while !text.contains(10) {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                text.append(more)
            }
            first = String(decoding: text.prefix { $0 != 10 }, as: UTF8.self)
        }

        deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

        /// Sends SIGTERM; the exit code and how long it took.
        func stop() -> (code: Int32, elapsed: Duration) {
            let begin = ContinuousClock.now
            process.terminate()
            process.waitUntilExit()
            return (process.terminationStatus, ContinuousClock.now - begin)
        }
    }

    private func curl(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-sS", "--max-time", "30"] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test func theFirstLineIsTheAddressAndItAnswers() throws {
        let serving = try Serving([try Sample.movie.get()])
        #expect(serving.first.hasPrefix("http://127.0.0.1:"))
        #expect(try curl([serving.first + "healthz"]) == "ok\n")
        let metrics = try curl([serving.first + "metrics"])
        for name in [
            "sluice_waits 0", "sluice_producers 0", "sluice_store_bytes{tier=\"ram\"} 0", "sluice_connections 1",
        ] {
            #expect(metrics.contains("\n\(name)\n"), "\(name)")
        }
        let stopped = serving.stop()
        #expect(stopped.code == 0 && stopped.elapsed < .seconds(3))
    }

    @Test func aTokenGuardsAllAndTheAnnouncedAddressesAreSigned() throws {
        let serving = try Serving(["--json", "--token", "long enough", try Sample.movie.get()])
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(serving.first.utf8)) as? [String: Any])
        #expect(line["event"] as? String == "listening")
        let titles = try #require(line["titles"] as? [[String: String]])
        let master = try #require(titles.first?["master"])
        #expect(titles.first?["source"] == "movie.mkv")
        #expect(try curl([master]).hasPrefix("#EXTM3U"))
        let bare = String(master.prefix { $0 != "?" })
        #expect(try curl(["-o", "/dev/null", "-w", "%{http_code}", bare]) == "401")
        #expect(try curl(["-H", "Authorization: Bearer long enough", bare]).hasPrefix("#EXTM3U"))
        #expect(serving.stop().code == 0)
    }

    /// The background plans find it; a line a title says so before anybody asks for it.
    @Test func whatWillBeRefusedIsSaidAtTheStart() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-refused-\(UUID().uuidString)")
        let films = folder.appending(path: "films")
        try FileManager.default.createDirectory(at: films, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.copyItem(atPath: try Sample.movie.get(), toPath: films.appending(path: "a.mkv").path)
        try Data("no film at all".utf8).write(to: films.appending(path: "b.mkv"))
        try Data("nor this one".utf8).write(to: films.appending(path: "c.mkv"))
        let errors = Pipe()
        let serving = try Serving(
            [films.path], plans: folder.appending(path: "plans").path, errors: errors.fileHandleForWriting)
        var text = Data()
        while text.count(where: { $0 == 10 }) < 2 {
            let more = errors.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text.append(more)
        }
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        try #require(lines.count == 2)
        #expect(lines[0].hasPrefix("warning serve: films/b.mkv will be refused: malformed-input: "))
        #expect(lines[1].hasPrefix("warning serve: films/c.mkv will be refused: malformed-input: "))
        #expect(serving.stop().code == 0)
    }

    /// Twenty requests wait for the first picture of a source that never answers.
    @Test func stopsWithinThreeSecondsWhileTwentyRequestsWait() async throws {
        let silent = try SilentServer()
        let url = "http://127.0.0.1:\(silent.port)/film.mp4"
        let serving = try Serving(["--json", "--allow", "127.0.0.1", url])
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(serving.first.utf8)) as? [String: Any])
        let master = try #require((line["titles"] as? [[String: String]])?.first?["master"])
        let base = try #require(line["url"] as? String)
        let clients = (0..<20).map { _ in
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/curl")
            process.arguments = ["-sS", "--max-time", "60", "-o", "/dev/null", master]
            process.standardError = FileHandle.nullDevice
            return process
        }
        for client in clients { try client.run() }
        let end = ContinuousClock.now + .seconds(20)
        while !(try curl([base + "metrics"])).contains("\nsluice_suspended 21\n"), ContinuousClock.now < end {}
        #expect(try curl([base + "metrics"]).contains("\nsluice_suspended 21\n"), "twenty, and this one")
        let stopped = serving.stop()
        #expect(stopped.code == 0)
        #expect(stopped.elapsed < .seconds(3))
        for client in clients { client.waitUntilExit() }
    }

    /// A scan of a long recording is in progress: it ends with the server.
    @Test func stopsWithinThreeSecondsWhileAPlanIsMade() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sluice-long-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (part, film) = (folder.appending(path: "part.ts"), folder.appending(path: "long.ts"))
        let made = Process()
        made.executableURL = URL(filePath: "/usr/bin/ffmpeg")
        made.arguments = [
            "-v", "error", "-y", "-nostdin", "-i", try Sample.movie.get(), "-c", "copy", "-f", "mpegts", part.path,
        ]
        try made.run()
        made.waitUntilExit()
        let bytes = try Data(contentsOf: part)
        #expect(FileManager.default.createFile(atPath: film.path, contents: nil))
        let handle = try FileHandle(forWritingTo: film)
        // 256 MB, which no build scans while this test looks.
        for _ in 0..<max(1, (256 << 20) / bytes.count) { try handle.write(contentsOf: bytes) }
        try handle.close()
        let serving = try Serving(["--json", film.path])
        let line = try #require(
            try JSONSerialization.jsonObject(with: Data(serving.first.utf8)) as? [String: Any])
        let master = try #require((line["titles"] as? [[String: String]])?.first?["master"])
        let base = try #require(line["url"] as? String)
        let client = Process()
        client.executableURL = URL(filePath: "/usr/bin/curl")
        client.arguments = ["-sS", "--max-time", "60", "-o", "/dev/null", master]
        client.standardError = FileHandle.nullDevice
        try client.run()
        let end = ContinuousClock.now + .seconds(20)
        var isWaiting = false
        while !isWaiting, ContinuousClock.now < end {
            isWaiting = try curl([base + "metrics"]).contains("\nsluice_suspended 2\n")
        }
        #expect(isWaiting, "the plan, and this one")
        let stopped = serving.stop()
        #expect(stopped.code == 0 && stopped.elapsed < .seconds(3), "\(stopped.elapsed)")
        client.waitUntilExit()
    }

    @Test func wrongOptionsAreRefusedBeforeAnythingIsServed() throws {
        let movie = try Sample.movie.get()
        let folder = { (name: String) in Subprocess.packageRoot.appending(path: name).path() }
        for (code, arguments) in [
            (2, ["--token", "short", movie]), (2, ["--set", "colour=red", movie]), (2, ["--allow", "ftp://x", movie]),
            (2, ["--port", "70000", movie]), (1, ["--tls-cert", "/none.pem", "--tls-key", "/none.pem", movie]),
            (1, ["/none/film.mkv"]), (1, ["/dev/null"]), (1, ["--graphs", folder("docs"), movie]),
            (3, ["--graphs", folder("Fixtures/bad"), movie]),
        ] {
            let run = try Subprocess.run(["serve", "--port", "0", "--plans", "off"] + arguments)
            #expect(run.code == code && run.output.isEmpty, "\(arguments)")
            #expect(!run.errors.isEmpty)
        }
    }
}

/// Accepts connections and says nothing.
private final class SilentServer {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        descriptor = listener
        guard result else { throw CocoaError(.fileNoSuchFile) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
