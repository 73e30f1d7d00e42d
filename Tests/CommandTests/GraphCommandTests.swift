import Foundation
import SluiceGraph
import SluiceTestKit
import TestTools
import Testing

/// The `graph` family on small files of its own.
@Suite(.enabled(if: Subprocess.program != nil)) struct GraphCommandTests {
    @Test func validateAcceptsAGoodFile() throws {
        let graph = try Sample.probeGraph.get()
        let result = try Subprocess.run(["graph", "validate", graph])
        #expect(result.code == 0)
        #expect(result.output == "\(graph): ok, 3 nodes, 2 links\n")
        #expect(result.errors.isEmpty)
    }

    @Test func validateSaysWhereAMistakeIs() throws {
        let (good, broken) = (try Sample.probeGraph.get(), try Sample.brokenGraph.get())
        let result = try Subprocess.run(["graph", "validate", good, broken])
        #expect(result.code == 3)
        #expect(
            result.errors.contains("\(broken):7:49: error[unknown-port]: node 'sink' has no input 'packts'"),
            "\(result.errors)")
        #expect(result.errors.contains("hint: 'packets'"))
        let json = try Subprocess.run(["graph", "validate", good, broken, "--json"])
        #expect(json.code == 3)
        let report = try Sample.parse(json.output)
        #expect(report["valid"] == false)
        #expect(report["files"]?[0]?["valid"] == true)
        #expect(report["files"]?[0]?["name"]?.text == "probe")
        let finding = try #require(report["files"]?[1]?["findings"]?[0])
        #expect(finding["code"]?.text == "unknown-port")
        #expect(finding["line"]?.number == 7)
        #expect(finding["path"]?.text == "links[1].to")
    }

    @Test func everyGraphOfThePackageIsValid() throws {
        let folder = Subprocess.packageRoot.appending(path: "Graphs").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.filter { $0 == "probe.json" || $0 == "native-loopback.json" }.map { "\(folder)/\($0)" }
        guard !files.isEmpty else { return }
        let result = try Subprocess.run(["graph", "validate"] + files)
        #expect(!result.errors.contains("/probe.json:"), "\(result.errors)")
    }

    @Test func describeShowsThePlan() throws {
        let graph = try Sample.probeGraph.get()
        let svg = Sample.folder.appending(path: "plan.svg").path
        let text = try Subprocess.run(["graph", "describe", graph, "--svg", svg, "--set", "hash=SHA256"])
        #expect(text.code == 0)
        #expect(text.output.contains("demuxer.packets -> sink.packets"))
        #expect(text.output.contains("algorithm=SHA256"))
        let drawing = try String(contentsOfFile: svg, encoding: .utf8)
        #expect(drawing.hasPrefix("<svg "))
        #expect(drawing.contains("id=\"node-demuxer\""))
        let json = try Sample.parse(try Subprocess.run(["graph", "describe", graph, "--json"]).output)
        #expect(json["name"]?.text == "probe")
        #expect(json["nodes"]?.elements?.compactMap { $0["kind"]?.text } == ["reader", "demuxer", "hash-sink"])
        #expect(try Subprocess.run(["graph", "describe", try Sample.brokenGraph.get()]).code == 3)
    }

    /// The plan of the graph that serves most titles. Both goldens are also read by someone else: the links of the text
    /// are those of the file, and the drawing is checked by `GraphDrawingTests`.
    @Test func theNativePlanIsTheGolden() throws {
        let graph = Subprocess.packageRoot.appending(path: "Graphs/native-loopback.json")
        let svg = Sample.folder.appending(path: "native.svg").path
        let result = try Subprocess.run(["graph", "describe", graph.path, "--svg", svg])
        #expect(result.code == 0, "\(result.errors)")
        let golden = "../../Fixtures/golden/native-loopback"
        func lines(_ text: String) -> [String] {
            text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
        #expect(GoldenFile("\(golden).txt").difference(from: lines(result.output)) == nil)
        let drawing = lines(try String(contentsOfFile: svg, encoding: .utf8))
        #expect(GoldenFile("\(golden).svg").difference(from: drawing) == nil)

        let file = try JSONSerialization.jsonObject(with: Data(contentsOf: graph)) as? [String: Any]
        let links = try #require(file?["links"] as? [[String: Any]])
        let drawn = lines(result.output).filter { $0.hasPrefix("link ") }
        let nodes = try #require(file?["nodes"] as? [String: [String: Any]])
        // A node whose condition does not hold is left out: what led to it leads on to what follows it.
        let absent = nodes.filter { $0.value["when"] != nil }.keys
        #expect(absent.sorted() == ["bridge"])
        var expected: [(from: String, to: String)] = []
        for link in links {
            let (from, to) = (link["from"] as? String ?? "", link["to"] as? String ?? "")
            if from.hasPrefix("bridge."), let last = expected.popLast() {
                expected.append((last.from, to))
            } else {
                expected.append((from, to))
            }
        }
        try #require(drawn.count == expected.count)
        for (index, link) in expected.enumerated() {
            #expect(drawn[index].hasPrefix("link \(index) \(link.from) -> \(link.to) "))
        }
        for (name, node) in nodes where !absent.contains(name) {
            let line = lines(result.output).first { $0.hasPrefix("node \(name) ") }
            #expect(line?.contains(" \(node["kind"] as? String ?? "") ") == true, "\(name)")
        }
    }

    @Test func selectFollowsTheRoute() throws {
        let folder = Sample.folder.appending(path: "catalog")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let probe = try String(contentsOfFile: try Sample.probeGraph.get(), encoding: .utf8)
        try Data(probe.utf8).write(to: folder.appending(path: "a.json"))
        let other = probe.replacing("\"equals\": \"probe\"", with: "\"equals\": \"hls\"")
            .replacing("\"name\": \"probe\"", with: "\"name\": \"other\"")
        try Data(other.utf8).write(to: folder.appending(path: "b.json"))
        let path = folder.path
        let standard = try Subprocess.run(["graph", "select", path])
        #expect(standard.code == 0)
        #expect(standard.output.hasPrefix("other (priority 9): request.output is hls\n"), "\(standard.output)")
        let json = try Sample.parse(
            try Subprocess.run(["graph", "select", path, "--field", "request.output=probe", "--json"]).output)
        #expect(json["graph"]?.text == "probe")
        #expect(json["passedOver"]?[0]?["failed"]?.text == "request.output is hls")
        #expect(try Subprocess.run(["graph", "select", path, "--field", "request.output=frames"]).code == 1)
        let wrong = try Subprocess.run(["graph", "select", path, "--field", "request.outpt=hls"])
        #expect(wrong.code == 2)
        #expect(wrong.errors.contains("did you mean 'request.output'?"))
    }

    @Test func nodesAndSchemaComeFromTheDescriptors() throws {
        let all = try Sample.parse(try Subprocess.run(["graph", "nodes", "--json"]).output)
        let kinds = try #require(all["nodes"]?.elements?.compactMap { $0["kind"]?.text })
        #expect(kinds == kinds.sorted())
        #expect(Set(kinds).isSuperset(of: ["reader", "demuxer", "hash-sink", "file-sink", "fmp4-muxer"]))
        let one = try Subprocess.run(["graph", "nodes", "demuxer"])
        #expect(one.output.hasPrefix("demuxer (source): "))
        #expect(one.output.contains("probeSize"))
        let unknown = try Subprocess.run(["graph", "nodes", "demuxr"])
        #expect(unknown.code == 2)
        #expect(unknown.errors.contains("did you mean 'demuxer'?"))
        let schema = try Sample.parse(try Subprocess.run(["graph", "schema"]).output)
        #expect(schema["properties"]?["schema"]?["const"]?.text == "sluice/1")
        let offered = schema["$defs"]?["node"]?["properties"]?["kind"]?["enum"]?.elements?.compactMap(\.text)
        #expect(offered == kinds)
    }

    @Test func versionNamesTheLibrariesThatAnswer() throws {
        let version = try Sample.parse(try Subprocess.run(["version", "--json"]).output)
        let libraries = try #require(version["libraries"]?.elements)
        #expect(libraries.count == 6)
        #expect(libraries.allSatisfy { $0["loaded"]?.text?.split(separator: ".").count == 3 })
        guard Sample.hasTools else { return }
        // "libavformat    59. 27.100 / 59. 27.100": compiled against / loaded.
        let listing = try ExternalTool.run("ffmpeg", ["-version"])
        let text = String(decoding: listing, as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("libavformat") })
        let loaded = try #require(line.split(separator: "/").last).filter { !$0.isWhitespace }
        #expect(libraries.first { $0["name"]?.text == "libavformat" }?["loaded"]?.text == String(loaded))
    }

    /// Options of the benchmark program are options here.
    @Test func benchHandsItsOptionsOn() throws {
        let bench = try #require(Subprocess.program).deletingLastPathComponent().appending(path: "sluice-bench").path
        guard FileManager.default.isExecutableFile(atPath: bench) else { return }
        let listed = try Subprocess.run(["bench", "--list"])
        #expect(listed.code == 0)
        #expect(listed.output.contains(/(?m)^channel\/batch-32 \d+ 1$/))
        let once = try Subprocess.run(["bench", "--once", "channel/batch-32", "--times", "1"])
        #expect(once.code == 0 && once.output.isEmpty, "\(once.errors)")
        let measured = try Subprocess.run(["bench", "channel/batch-32", "--runs", "1", "--json"])
        #expect(measured.code == 0)
        let report = try Sample.parse(measured.output)
        #expect(report.elements?.count == 1 && report[0]?["name"]?.text == "channel/batch-32")
        #expect(try Subprocess.run(["bench", "--once", "none/such"]).code != 0)
    }

    @Test func benchIsFoundBesideTheProgramOrExplained() throws {
        let program = try #require(Subprocess.program)
        let bench = program.deletingLastPathComponent().appending(path: "sluice-bench").path
        guard !FileManager.default.isExecutableFile(atPath: bench) else { return }
        let result = try Subprocess.run(["bench"])
        #expect(result.code == 1)
        #expect(result.errors.contains("swift build -c release --product sluice-bench"))
    }
}
