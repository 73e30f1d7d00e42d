import Foundation
import SluiceGraph
import TestTools
import Testing

/// `run` against ffmpeg's own packet hashes.
@Suite(.enabled(if: Sample.hasTools)) struct RunCommandTests {
    @Test func recordAndNumbersAreThoseOfFFmpeg() throws {
        let (movie, graph) = (try Sample.movie.get(), try Sample.probeGraph.get())
        let record = Sample.folder.appending(path: "movie.record").path
        let result = try Subprocess.run(["run", graph, movie, "--record", record, "--json"])
        #expect(result.code == 0)
        #expect(result.errors.isEmpty)
        let report = try Sample.parse(result.output)
        #expect(report["phase"]?.text == "drained")

        let copy = try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-i", movie, "-map", "0", "-c", "copy", "-copyinkf", "-f", "framehash", "-hash", "md5",
                "-",
            ])
        var expected: [Int: [String]] = [:]
        for line in String(decoding: copy, as: UTF8.self).split(separator: "\n") where !line.hasPrefix("#") {
            let cells = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            let index = try #require(Int(cells[0]))
            expected[index, default: []].append(cells[4] + ":" + cells[5])
        }
        var recorded: [Int: [String]] = [:]
        var events: [String] = []
        for line in try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard cells[0] == "packet" else {
                events.append(cells[2])
                continue
            }
            let index = try #require(Int(cells[2]))
            recorded[index, default: []].append(cells[7] + ":" + cells[8])
        }
        #expect(recorded == expected)
        #expect(expected.count == 3)
        #expect(events == ["streams", "segment", "endOfStream"])

        for stream in try #require(report["streams"]?.elements) {
            let index = try #require(stream["index"]?.number)
            let hashes = try #require(expected[index])
            #expect(stream["packets"]?.number == hashes.count)
            let bytes = hashes.compactMap { Int($0.split(separator: ":")[0]) }.reduce(0, +)
            #expect(stream["bytes"]?.number == bytes)
        }
        #expect(report["streams"]?[0]?["keyframes"]?.number == 3, "6 s at 24 pictures a second, one in 48 is a key")
        let demuxer = try #require(report["nodes"]?.elements?.first { $0["name"]?.text == "demuxer" })
        #expect(demuxer["itemsOut"]?.number == expected.values.map(\.count).reduce(0, +) + 3, "and three events")
    }

    /// It wants a plan and a store; the message says who has them.
    @Test func aGraphThatServesIsSentToServeOrPackage() throws {
        let graph = Subprocess.packageRoot.appending(path: "Graphs/native-loopback.json").path
        let result = try Subprocess.run(["run", graph, try Sample.movie.get()])
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("sluice: missing-resource: "))
        #expect(result.errors.contains("use 'sluice serve' or 'sluice package'"))
    }

    @Test func settingsReachTheNodes() throws {
        let (movie, graph) = (try Sample.movie.get(), try Sample.probeGraph.get())
        let record = Sample.folder.appending(path: "sha.record").path
        #expect(try Subprocess.run(["run", graph, movie, "--set", "hash=SHA256", "--record", record]).code == 0)
        let lines = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
        let first = try #require(lines.first { $0.hasPrefix("packet") })
        #expect(first.split(separator: ",").last?.count == 64)
        let wrong = try Subprocess.run(["run", graph, movie, "--set", "hash=MD4"])
        #expect(wrong.code == 3)
        #expect(wrong.errors.hasPrefix("--set:1:1: error[option-range]: "), "\(wrong.errors)")
    }

    @Test func textReportAndTrace() throws {
        let trace = Sample.folder.appending(path: "movie.trace").path
        let result = try Subprocess.run(["run", try Sample.probeGraph.get(), try Sample.movie.get(), "--trace", trace])
        #expect(result.code == 0)
        #expect(result.output.contains("#0      video     h264"), "\(result.output)")
        #expect(result.output.contains("probe: drained after "))
        let lines = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let entries = try lines.map { try Sample.parse(String($0)) }
        #expect(entries.contains { $0["node"]?.text == "sink" && $0["what"]?.text == "packets got endOfStream" })
        let times = entries.compactMap { $0["at"]?.real }
        #expect(times.count == entries.count)
        #expect(times == times.sorted())
    }

    /// Three keyframes, two seconds apart: a seek to 3 s begins with the second.
    @Test func seekLandsOnTheKeyframeBefore() throws {
        let (movie, record) = (try Sample.movie.get(), Sample.folder.appending(path: "seek.record").path)
        let result = try Subprocess.run([
            "run", try Sample.probeGraph.get(), movie, "--seek", "3s", "--record", record, "--json",
        ])
        #expect(result.code == 0)
        let report = try Sample.parse(result.output)
        #expect(report["seeks"]?[0]?["target"]?.real == 3)
        #expect(report["seeks"]?[0]?["outcome"]?.text?.hasPrefix("landed at ") == true, "\(result.output)")

        let listing = try Sample.ffprobe(movie, ["-show_packets", "-select_streams", "v"])
        let packets = try #require(listing["packets"]?.elements)
        let keys = packets.indices.filter { packets[$0]["flags"]?.text?.hasPrefix("K") == true }
        #expect(keys.count == 3)
        let expected = packets[keys[1]...].compactMap { $0["pts"]?.number }
        let rows = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
        let times = rows.filter { $0.hasPrefix("packet,1,0,") }.compactMap { Int($0.split(separator: ",")[3]) }
        #expect(times == expected)
    }

    /// The file begins at 100 s; seeks and landings are counted from its beginning.
    @Test func landingsAreToldInOutputTime() throws {
        let (movie, record) = (try Sample.lateMovie.get(), Sample.folder.appending(path: "late.record").path)
        let result = try Subprocess.run([
            "run", try Sample.probeGraph.get(), movie, "--seek", "3s", "--record", record, "--json",
        ])
        #expect(result.code == 0)
        let outcome = try #require(try Sample.parse(result.output)["seeks"]?[0]?["outcome"]?.text)
        let text = try #require(outcome.firstMatch(of: /landed at ([0-9.]+) s/), "\(outcome)")
        let landed = try #require(Double(text.1))

        // Matroska counts in milliseconds.
        let rows = try String(contentsOfFile: record, encoding: .utf8).split(separator: "\n")
        let first = try #require(rows.first { $0.hasPrefix("packet,1,") }).split(separator: ",")
        let shown = try #require(Double(first[3])) / 1_000
        let format = try Sample.ffprobe(movie, ["-show_format"])["format"]
        let begin = try #require(format?["start_time"]?.text.flatMap(Double.init))
        #expect(begin > 99 && begin < 101)
        #expect(abs(landed - (shown - begin)) < 0.001, "\(landed), \(shown) - \(begin)")
        #expect(abs(landed - 2) < 0.1, "the keyframe before 3 s")
    }

    @Test func failuresNameTheNode() throws {
        let graph = try Sample.probeGraph.get()
        let plain = try Subprocess.run(["run", graph, "/nonexistent/file.mkv"])
        #expect(plain.code == 1)
        #expect(plain.errors.hasPrefix("sluice: not-found: "))
        #expect(plain.errors.contains("(node 'reader')"))
        let record = Sample.folder.appending(path: "none.record").path
        let json = try Subprocess.run(["run", graph, try Sample.write("x.txt", "x\n"), "--json", "--record", record])
        #expect(json.code == 1)
        let error = try #require(try Sample.parse(json.output)["error"])
        #expect(error["code"]?.text == "not-media")
        #expect(error["node"]?.text == "demuxer")
        #expect(!FileManager.default.fileExists(atPath: record))
        #expect(!FileManager.default.fileExists(atPath: record + ".part"))
    }

    @Test func anInvalidGraphDoesNotRun() throws {
        let result = try Subprocess.run(["run", try Sample.brokenGraph.get(), try Sample.movie.get(), "--json"])
        #expect(result.code == 3)
        let error = try #require(try Sample.parse(result.output)["error"])
        #expect(error["code"]?.text == "invalid-graph")
        #expect(error["findings"]?[0]?["code"]?.text == "unknown-port")
    }

    /// A server that takes the connection and never answers.
    @Test func interruptEndsARunThatWaits() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(listener, raw, length) == 0 && listen(listener, 4) == 0 && getsockname(listener, raw, &length) == 0
            }
        }
        try #require(isBound)
        let record = Sample.folder.appending(path: "waits.record").path
        let url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/film.mkv"
        let begin = ContinuousClock.now
        let result = try Subprocess.run(["run", try Sample.probeGraph.get(), url, "--record", record]) { process in
            // The program waits for an answer as soon as its connection is there.
            var poller = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            #expect(poll(&poller, 1, 20_000) == 1)
            process.interrupt()
        }
        #expect(result.code == 1)
        #expect(result.errors == "sluice: cancelled: interrupted\n")
        #expect(ContinuousClock.now - begin < .seconds(25))
        #expect(!FileManager.default.fileExists(atPath: record + ".part"))
        #expect(!FileManager.default.fileExists(atPath: record))
    }

    @Test func whatALinkDropsIsSaid() throws {
        let text = try String(contentsOfFile: Sample.probeGraph.get(), encoding: .utf8)
        let lossy = try Sample.write(
            "lossy.json",
            text.replacing(
                "\"to\": \"sink.packets\"",
                with: "\"to\": \"sink.packets\", \"limits\": {\"items\": 1}, \"overflow\": \"dropOldest\""))
        let result = try Subprocess.run(["run", lossy, try Sample.movie.get()])
        #expect(result.code == 0, "\(result.errors)")
        let counts = result.output.firstMatch(of: /demuxer +demuxer +\d+ +(\d+)/).flatMap { Int($0.1) } ?? 0
        let taken = result.output.firstMatch(of: /sink +hash-sink +(\d+)/).flatMap { Int($0.1) } ?? 0
        let dropped =
            result.output.firstMatch(of: /link demuxer.packets -> sink.packets: (\d+) dropped/)
            .flatMap { Int($0.1) } ?? 0
        // A packet that the full link turned away was never put out, but it was dropped.
        #expect(counts > 0 && taken > 0 && dropped >= counts - taken, "\(result.output)")
    }
}
