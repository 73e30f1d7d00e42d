import SluiceDataflow
import SluiceGraph
import Testing

struct GraphFileTests {
    @Test func everyValueOfTheNativeGraphIsDecodedWithItsPlace() throws {
        let file = try GraphFile.load(path: "\(Repository.graphs)/native-loopback.json")
        #expect(file.findings.isEmpty)
        #expect(file.name?.value == "native-loopback")
        #expect(file.select?.priority?.value == 50)
        #expect(file.select?.conditions.map(\.description) == ["route.video is copy", "source.isLive is false"])
        #expect(file.limits.memory?.value == 268_435_456)
        #expect(file.limits.channel.span?.value == .seconds(2))
        #expect(
            file.nodes.map(\.name.value) == ["reader", "demuxer", "repair", "bridge", "cutter", "muxer", "publisher"])
        #expect(file.node("demuxer")?.thread?.value == .dedicated)
        #expect(file.links.count == 6)
        #expect(file.links[5].to?.value == PortReference("publisher.fragments"))
        #expect(file.limits(of: file.links[5]).bytes == 4 << 20)
        #expect(file.limits(of: file.links[1]).bytes == 10 << 20)
        #expect(file.limits(of: file.links[1]).items == 4096)
        let place = try #require(file.node("cutter")?.kind?.location)
        #expect((place.line, place.column) == (24, 28))
    }

    /// One line of JSON each, spliced into a sound graph; the column is counted from the splice.
    @Test(
        arguments: [
            (#""summary": 3"#, "wrong-type", 12, "'summary' is of type integer; expected string"),
            (#""sumary": "x""#, "unknown-key", 1, "the graph has no key 'sumary' (hint: 'summary')"),
            (#""limits": { "memory": "12MB" }"#, "wrong-type", 23, "'12MB' is not a size such as \"10MiB\""),
            (
                #""limits": { "channel": { "span": 3 } }"#, "wrong-type", 34,
                "'limits.channel.span' is of type integer; expected a duration such as \"2s\""
            ),
            (
                #""groups": { "a": { "onFailure": "isolated" } }"#, "wrong-type", 33,
                "'isolated' is none of failGraph, isolate (hint: 'isolate')"
            ),
            (
                #""groups": { "a b": {} }"#, "wrong-type", 13,
                "'a b' is not a name; expected a letter, then letters, digits, '-' or '_', at most 64"
            ),
            (#""select": { "priority": 1 }"#, "missing-key", 11, "'select' lacks the key 'shape'"),
            (
                #""select": { "shape": "x", "when": [ { "field": "route.vido", "equals": "copy" } ] }"#,
                "unresolved-reference", 48,
                "no field 'route.vido'; conditions test route.video, route.audio, route.subtitles, source.isLive, "
                    + "source.isByteStream, request.output (hint: 'route.video')"
            ),
            (
                #""select": { "shape": "x", "when": [ { "field": "route.video", "equals": "copi" } ] }"#,
                "option-range", 73,
                "'route.video' is never 'copi'; expected copy, encode, frames, none (hint: 'copy')"
            ),
            (
                #""select": { "shape": "x", "when": [ { "field": "source.isLive", "equals": "false" } ] }"#,
                "wrong-type",
                75, "'select.when[0]' is of type string; expected boolean"
            ),
            (
                #""select": { "shape": "x", "when": [ { "field": "source.isLive" } ] }"#, "missing-key", 37,
                "'select.when[0]' lacks 'equals' or 'in'"
            ),
            (
                #""options": { "a": { "type": "int" } }"#, "wrong-type", 29,
                "'int' is no type of option; expected boolean, integer, real, string, choice, duration, byteSize, stringList"
            ),
            (
                #""options": { "a": { "type": "integer", "default": "3" } }"#, "option-type", 51,
                "'3' is not an integer"
            ),
            (
                #""options": { "a": { "type": "integer", "default": 3, "maximum": 2 } }"#, "option-range", 51,
                "'3' is out of range; expected -9223372036854775808 to 2"
            ),
            (
                #""options": { "a": { "type": "duration", "minimum": "3s", "maximum": "2s" } }"#, "option-range", 69,
                "maximum is less than minimum"
            ),
            (
                #""options": { "a": { "type": "boolean", "minimum": true } }"#, "option-type", 40,
                "type 'boolean' has no minimum"
            ),
            (
                #""options": { "a": { "type": "choice" } }"#, "missing-key", 29,
                "type 'choice' needs the key 'choices'"
            ),
            (
                #""options": { "a": { "type": "choice", "choices": [ "muxed" ], "default": "mixed" } }"#,
                "option-range",
                74, "'mixed' is out of range; expected one of muxed (hint: 'muxed')"
            ),
        ] as [(String, String, Int, String)])
    func strictDecodingSaysWhatAndWhere(line: String, code: String, column: Int, message: String) throws {
        let text = graph(
            [
                ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
                ("out", "hash-sink"),
            ],
            ["in.packets > out.packets"], extra: "\n\(line),\n")
        #expect(try findings(text) == ["t.json:2:\(column): error[\(code)]: \(message)"])
    }

    @Test func wrongShapesOfNodesAndLinksAreReported() throws {
        let text = #"""
            { "schema": "sluice/1", "name": "t",
            "nodes": { "a": 3, "b": { "kind": 1, "thread": "own" }, "c": {} },
            "links": [ 7, { "from": "a", "to": "b.c.d", "overflow": "drop" } ] }
            """#
        let (_, found) = GraphFile.decode(Array(text.utf8), file: "t")
        #expect(
            found.map(\.description) == [
                "t:2:17: error[wrong-type]: 'nodes.a' is of type integer; expected object",
                "t:2:35: error[wrong-type]: 'nodes.b.kind' is of type integer; expected string",
                "t:2:48: error[wrong-type]: 'own' is none of pool, shared, dedicated",
                "t:2:62: error[missing-key]: 'nodes.c' lacks the key 'kind'",
                "t:3:12: error[wrong-type]: 'links[0]' is of type integer; expected object",
                "t:3:25: error[wrong-type]: 'a' is not a port; expected 'node.port'",
                "t:3:36: error[wrong-type]: 'b.c.d' is not a port; expected 'node.port'",
                "t:3:57: error[wrong-type]: 'drop' is none of suspend, dropOldest, dropNewest",
            ])
    }

    @Test func aDocumentThatIsNoObjectGivesNoGraph() {
        let (graph, found) = GraphFile.decode(Array("[]".utf8), file: "t")
        #expect(graph == nil)
        #expect(found.map(\.description) == ["t:1:1: error[wrong-type]: 'graph' is of type array; expected object"])
    }

    @Test func nodesAndLinksAreBounded() throws {
        let nodes = (0..<200).map { ("n\($0)", "hash-sink") }
        let file = try decoded(graph(nodes, Array(repeating: "n0.a > n1.b", count: 600)))
        #expect(file.nodes.count == 128)
        #expect(file.links.count == 512)
        #expect(
            file.findings.map(\.message) == [
                "200 nodes; at most 128 are allowed", "600 links; at most 512 are allowed",
            ])
    }

    @Test func aMissingFileIsAFindingWithItsReason() {
        #expect {
            try GraphFile.load(path: "/nonexistent/g.json")
        } throws: { error in
            "\(error)"
                == "error[unreadable]: graph file '/nonexistent/g.json' cannot be read: "
                + "No such file or directory"
        }
    }
}
