import SluiceCore
import SluiceDataflow
import SluiceGraph
import Testing

struct GraphValidatorTests {
    /// The native graph with its subtitle taps, as a file for a full installation writes it.
    static let withTaps = #"""
        {
          "schema": "sluice/1",
          "name": "native-loopback",
          "limits": { "memory": "256MiB", "channel": { "bytes": "10MiB", "span": "2s" } },
          "groups": { "line": { "onFailure": "failGraph" }, "taps": { "onFailure": "isolate" } },
          "nodes": {
            "reader":    { "kind": "reader",         "group": "line", "options": { "url": "${source.url}", "readAhead": "16MiB" } },
            "demuxer":   { "kind": "demuxer",        "group": "line", "thread": "dedicated" },
            "repair":    { "kind": "repair",         "group": "line" },
            "subtitles": { "kind": "subtitle-tap",   "group": "line" },
            "harvest":   { "kind": "bitmap-harvest", "group": "taps", "thread": "dedicated" },
            "cutter":    { "kind": "cutter",         "group": "line" },
            "muxer":     { "kind": "fmp4-muxer",     "group": "line" },
            "publisher": { "kind": "segment-publisher", "group": "line" }
          },
          "links": [
            { "from": "reader.bytes",      "to": "demuxer.bytes" },
            { "from": "demuxer.packets",   "to": "repair.packets" },
            { "from": "repair.packets",    "to": "subtitles.packets" },
            { "from": "subtitles.packets", "to": "cutter.packets" },
            { "from": "subtitles.cues",    "to": "publisher.cues",     "overflow": "dropOldest", "limits": { "bytes": "1MiB" } },
            { "from": "subtitles.bitmaps", "to": "harvest.packets",    "overflow": "dropOldest", "limits": { "bytes": "8MiB" } },
            { "from": "harvest.bitmaps",   "to": "publisher.bitmaps",  "overflow": "dropOldest", "limits": { "bytes": "16MiB" } },
            { "from": "cutter.packets",    "to": "muxer.packets" },
            { "from": "muxer.fragments",   "to": "publisher.fragments", "limits": { "bytes": "32MiB" } }
          ]
        }
        """#

    @Test func tapsAreSoundWhereTheirKindsExist() throws {
        #expect(try findings(Self.withTaps) == [])
    }

    /// Kinds that are not there cause no findings but themselves.
    @Test func unknownKindsCauseNoFurtherFindings() throws {
        #expect(
            try findings(Self.withTaps, catalog: ToyKinds.native) == [
                "t.json:10:28: error[unknown-kind]: no node kind 'subtitle-tap'",
                "t.json:11:28: error[unknown-kind]: no node kind 'bitmap-harvest'",
            ])
    }

    @Test func aMisspeltPortIsOneFindingWithAHint() throws {
        let text = Self.withTaps.replacing("\"harvest.packets\"", with: "\"harvest.packts\"")
        #expect(
            try findings(text) == [
                "t.json:22:42: error[unknown-port]: node 'harvest' has no input 'packts' (hint: 'packets')"
            ])
    }

    @Test func aMisspeltNodeIsOneFindingWithAHint() throws {
        let text = Self.withTaps.replacing("\"to\": \"muxer.packets\"", with: "\"to\": \"muxr.packets\"")
        #expect(try findings(text) == ["t.json:24:42: error[unknown-port]: no node 'muxr' (hint: 'muxer')"])
    }

    @Test func withoutOverflowTheTapsAreDiamonds() throws {
        let text = Self.withTaps.replacing("\"overflow\": \"dropOldest\", ", with: "")
        let found = try findings(text)
        #expect(found.count == 1, "one fork, one join: \(found)")
        #expect(found.allSatisfy { $0.contains("error[unbuffered-diamond]: two blocking paths from 'subtitles'") })
    }

    /// 4 packet links of max(10 MiB, 16 MiB), fragments 32 MiB; reader 16, demuxer 4, bridge 1, muxer 32 MiB: 149 MiB.
    @Test(arguments: [("149MiB", true), ("152575KiB", false)])
    func memoryBoundIsExact(limit: String, isFine: Bool) throws {
        let text = try Repository.text("Graphs/native-loopback.json").replacing("256MiB", with: limit)
        let found = try findings(text)
        #expect(
            found
                == (isFine
                    ? []
                    : [
                        "t.json:14:25: error[memory-bound]: links may hold 96MiB and nodes 53MiB, together 149MiB; "
                            + "limits.memory is \(limit)"
                    ]))
    }

    @Test func hugeLimitsSaturate() throws {
        let huge = "9223372036854775807"
        let text = graph(
            [
                ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
                ("out", "hash-sink"),
            ],
            ["in.packets > out.packets | \"limits\": { \"bytes\": \(huge), \"items\": \(huge) }"])
        #expect(try decoded(text).validate(against: ToyKinds.full).map(\.code) == [.memoryBound])
    }

    @Test(arguments: [
        #""bytes": 0"#, #""bytes": "0B""#, #""bytes": -1"#, #""span": "0s""#, #""items": -9223372036854775808"#,
    ])
    func zeroCapacityIsFoundOnLinksAndDefaults(limit: String) throws {
        let nodes = [
            ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
            ("out", "hash-sink"),
        ]
        let link = graph(nodes, ["in.packets > out.packets | \"limits\": { \(limit) }"])
        #expect(try decoded(link).validate(against: ToyKinds.full).map(\.code) == [.zeroCapacity])
        let fallback = graph(nodes, ["in.packets > out.packets"], extra: "\"limits\": { \"channel\": { \(limit) } },")
        #expect(try decoded(fallback).validate(against: ToyKinds.full).map(\.code) == [.zeroCapacity])
    }

    /// A window is pulled from: no queue rule applies to it.
    @Test func byteLinksAreExemptFromQueueRules() throws {
        let text = try Repository.text("Graphs/native-loopback.json").replacing(
            "\"to\": \"demuxer.bytes\"", with: "\"to\": \"demuxer.bytes\", \"limits\": { \"bytes\": 0 }")
        #expect(try findings(text) == [])
    }

    @Test func conditionsAreOnlyForFiltersInLine() throws {
        let when = "\"when\": [ { \"field\": \"route.subtitles\", \"equals\": \"text\" } ]"
        let tap = Self.withTaps.replacing("\"kind\": \"subtitle-tap\",", with: "\"kind\": \"subtitle-tap\", \(when),")
        #expect(try decoded(tap).validate(against: ToyKinds.full).map(\.code) == [.conditionOnRequiredNode])
        let harvest = Self.withTaps.replacing(
            "\"kind\": \"bitmap-harvest\",", with: "\"kind\": \"bitmap-harvest\", \(when),")
        #expect(try decoded(harvest).validate(against: ToyKinds.full).map(\.code) == [.conditionOnRequiredNode])
        let cutter = Self.withTaps.replacing("\"kind\": \"cutter\",", with: "\"kind\": \"cutter\", \(when),")
        #expect(try findings(cutter) == [])
    }

    @Test func anEmptyGraphHasNoSink() throws {
        let text = #"{ "schema": "sluice/1", "name": "t", "nodes": {}, "links": [] }"#
        #expect(
            try findings(text) == [
                "t.json:1:38: error[no-sink]: no node consumes what the graph makes; at least one must have no outputs"
            ])
    }

    @Test func aNodeLinkedToItselfIsACycle() throws {
        let text = graph([("m", "repair"), ("out", "hash-sink")], ["m.packets > m.packets"])
        let codes = try decoded(text).validate(against: ToyKinds.full).map(\.code)
        #expect(codes.contains(.cycle))
    }

    @Test func diagnosticsHaveAStableJSONForm() throws {
        let finding = try #require(try decoded(Self.withTaps).validate(against: ToyKinds.native).first)
        #expect(
            finding.json.encoded()
                == #"{"severity":"error","code":"unknown-kind","file":"t.json","line":10,"column":28,"#
                + #""path":"nodes.subtitles.kind","message":"no node kind 'subtitle-tap'","hint":null}"#)
    }
}
