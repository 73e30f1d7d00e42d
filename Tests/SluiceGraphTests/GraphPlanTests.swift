import SluiceCore
import SluiceDataflow
import SluiceGraph
import Testing

struct GraphPlanTests {
    func native() throws -> GraphFile { try GraphFile.load(path: "\(Repository.graphs)/native-loopback.json") }

    /// A graph with an option of its own that its cutter takes.
    func timed() throws -> GraphFile {
        try decoded(
            graph(
                [
                    ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
                    (
                        "cutter",
                        "{ \"kind\": \"cutter\", \"options\": { \"segmentDuration\": \"${segmentDuration}\" } }"
                    ),
                    ("out", "hash-sink"),
                ], ["in.packets > cutter.packets", "cutter.packets > out.packets"],
                extra: """
                    "options": { "segmentDuration":
                    { "type": "duration", "default": "4s", "minimum": "1s", "maximum": "10s" } },
                    """))
    }

    let source = GraphFacts(sourceURL: "file:///m.mkv")

    @Test func nativeGraphIsResolvedWithDefaults() throws {
        let plan = try GraphPlan(file: native(), catalog: ToyKinds.native, facts: source)
        #expect(plan.name == "native-loopback")
        #expect(plan.nodes.map(\.name) == ["reader", "demuxer", "repair", "cutter", "muxer", "publisher"])
        #expect(plan.node("reader")?.options == ["url": .string("file:///m.mkv"), "readAhead": .byteSize(16 << 20)])
        #expect(plan.node("cutter")?.options == ["segmentDuration": .duration(.seconds(4))])
        #expect(plan.node("demuxer")?.options["streams"] == .string("served"))
        #expect(plan.node("muxer")?.options == ["shape": .string("renditions")])
        #expect(plan.nodes.filter { $0.thread == .dedicated }.map(\.name) == ["demuxer"])
        #expect(plan.groups == ["line": .failGraph])
        #expect(plan.links.map(\.payload) == [.bytes, .packet, .packet, .packet, .fragment])
        #expect(plan.links[4].limits == ChannelLimits(bytes: 4 << 20, span: .seconds(2), items: 4096))
        // Three packet links of one largest packet each, one of fragments (32 MiB at most in one piece); reader 16, demuxer 4, muxer 32 MiB.
        #expect(plan.memoryBound.links == (3 * 16 + 32) << 20)
        #expect(plan.memoryBound.workingSets == 52 << 20)
    }

    @Test func settingsAreTypedByTheGraphsOptions() throws {
        let plan = try GraphPlan(
            file: timed(), catalog: ToyKinds.full, settings: ["segmentDuration": "2500ms"], facts: source)
        #expect(plan.node("cutter")?.options["segmentDuration"] == .duration(.milliseconds(2500)))
        let shaped = try GraphPlan(
            file: native(), catalog: ToyKinds.native, settings: ["shape": "muxed"], facts: source)
        #expect(shaped.node("muxer")?.options["shape"] == .string("muxed"))
    }

    @Test(arguments: [
        (
            "segmentDuration", "11s", "option-range",
            "option 'segmentDuration': '11s' is out of range; expected 1s to 10s"
        ),
        ("segmentDuration", "4", "option-type", "option 'segmentDuration': '4' is not a duration such as '4s'"),
        (
            "segmentDuraton", "4s", "unknown-option",
            "the graph has no option 'segmentDuraton' (hint: 'segmentDuration')"
        ),
    ])
    func wrongSettingsAreFindings(name: String, value: String, code: String, message: String) throws {
        let file = try timed()
        #expect {
            try GraphPlan(file: file, catalog: ToyKinds.full, settings: [name: value], facts: source)
        } throws: { error in
            "\(error)" == "--set:1:1: error[\(code)]: \(message)"
        }
    }

    @Test func aReferenceWithoutValueIsFoundWhenPlanning() throws {
        let file = try native()
        #expect(file.validate(against: ToyKinds.native).isEmpty)
        #expect {
            try GraphPlan(file: file, catalog: ToyKinds.native)
        } throws: { error in
            (error as? GraphValidationError)?.diagnostics.map(\.code) == [.unresolvedReference]
                && "\(error)".hasSuffix("option 'url' of node 'reader': 'source.url' has no value")
        }
    }

    /// Whole references keep their type, embedded ones become text, a list takes both.
    @Test func referencesAreReplacedByType() throws {
        let kinds = NodeCatalog([
            NodeDescriptor(
                kind: "all", ports: [],
                options: [
                    OptionDescriptor("flag", .boolean, default: .boolean(false), ""),
                    OptionDescriptor("real", .real(0...10), default: .real(0), ""),
                    OptionDescriptor("text", .string(), default: .string(""), ""),
                    OptionDescriptor("list", .stringList(), default: .stringList([]), ""),
                    OptionDescriptor("pick", .choice(["a", "b"]), default: .string("a"), ""),
                    OptionDescriptor("size", .byteSize(0...100), default: .byteSize(0), ""),
                ], summary: "")
        ])
        let text = #"""
            { "schema": "sluice/1", "name": "t", "links": [],
            "options": { "n": { "type": "integer", "default": 3, "maximum": 20 }, "s": { "type": "string", "default": "b" },
                         "l": { "type": "stringList", "default": [ "x", "y" ] } },
            "nodes": { "a": { "kind": "all", "options": { "flag": "${source.isLive}", "real": "${n}", "pick": "${s}",
              "text": "$${n}-${s}$", "list": [ "p", "${s}", "<${n}>" ], "size": 17 } },
              "b": { "kind": "all", "options": { "list": "${l}" } } } }
            """#
        let file = try decoded(text)
        let facts = GraphFacts(route: RouteFacts(isLive: true))
        let plan = try GraphPlan(file: file, catalog: kinds, settings: ["n": "7"], facts: facts)
        let options = try #require(plan.node("a")?.options)
        #expect(options["flag"] == .boolean(true))
        #expect(options["real"] == .real(7))
        #expect(options["pick"] == .string("b"))
        #expect(options["text"] == .string("$7-b$"))
        #expect(options["list"] == .stringList(["p", "b", "<7>"]))
        #expect(options["size"] == .byteSize(17))
        #expect(plan.node("b")?.options["list"] == .stringList(["x", "y"]))
        // A setting that the graph allows may still not suit the node.
        #expect {
            try GraphPlan(file: file, catalog: kinds, settings: ["n": "11", "s": "c"], facts: facts)
        } throws: { error in
            (error as? GraphValidationError)?.diagnostics.map { "\($0.code.rawValue) \($0.path)" } == [
                "option-range nodes.a.options.real", "option-range nodes.a.options.pick",
            ]
        }
    }

    @Test(arguments: [
        (#""${n}""#, "option-type", "'${n}' is of type integer; expected a duration such as '4s'"),
        (#""${n}s""#, "option-type", "'${n}s' is text; expected a duration such as '4s' or one reference"),
        (
            #""${segmentDuratin}""#, "unresolved-reference",
            "nothing is named 'segmentDuratin' (hint: 'segmentDuration')"
        ),
        (#""${n""#, "unresolved-reference", "'${n' has '${' without '}'"),
        (#""${segmentDuration}""#, "option-range", "'40s' is out of range; expected 1s to 30s"),
    ])
    func wrongReferencesAreFoundWithoutPlanning(value: String, code: String, message: String) throws {
        let text = graph(
            [
                ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
                ("cut", "{ \"kind\": \"cutter\", \"options\": { \"segmentDuration\": \(value) } }"),
                ("out", "hash-sink"),
            ], ["in.packets > cut.packets", "cut.packets > out.packets"],
            extra: """
                "options": { "n": { "type": "integer", "default": 1 },
                "segmentDuration": { "type": "duration", "default": "40s" } },
                """)
        let found = try findings(text)
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("error[\(code)]: option 'segmentDuration' of node 'cut': \(message)") == true,
            "\(found)")
    }

    @Test func aRequiredOptionThatIsNotSetIsMissing() throws {
        let text = graph(
            [("in", "reader"), ("d", "{ \"kind\": \"demuxer\", \"thread\": \"dedicated\" }"), ("out", "hash-sink")],
            ["in.bytes > d.bytes", "d.packets > out.packets"])
        #expect(
            try findings(text) == [
                "t.json:2:12: error[missing-key]: node 'in' needs option 'url': Where the source is."
            ])
    }

    /// Two filters in a row are left out; the one link that remains has the smaller of every bound.
    @Test func filtersThatAreLeftOutAreJoinedThrough() throws {
        let condition = "\"when\": [ { \"field\": \"route.audio\", \"equals\": \"bridge\" } ]"
        let text = graph(
            [
                ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }"),
                ("a", "{ \"kind\": \"repair\", \(condition) }"), ("b", "{ \"kind\": \"repair\", \(condition) }"),
                ("out", "hash-sink"),
            ],
            [
                "in.packets > a.packets | \"limits\": { \"bytes\": \"3MiB\", \"span\": \"5s\" }",
                "a.packets > b.packets | \"limits\": { \"bytes\": \"2MiB\", \"items\": 9 }, \"overflow\": \"dropNewest\"",
                "b.packets > out.packets | \"limits\": { \"span\": \"700ms\" }",
            ])
        let file = try decoded(text)
        let bare = try GraphPlan(file: file, catalog: ToyKinds.full)
        #expect(bare.nodes.map(\.name) == ["in", "out"])
        #expect(
            bare.links == [
                PlannedLink(
                    from: ("in", "packets"), to: ("out", "packets"), payload: .packet,
                    limits: ChannelLimits(bytes: 2 << 20, span: .milliseconds(700), items: 9), overflow: .dropNewest)
            ])
        let whole = try GraphPlan(
            file: file, catalog: ToyKinds.full, facts: GraphFacts(route: RouteFacts(audio: .bridge)))
        #expect(whole.nodes.count == 4)
        #expect(whole.links.count == 3)
    }

    @Test func invalidGraphsThrowAllFindingsSorted() throws {
        let file = try GraphFile.load(path: "\(Repository.badFixtures)/twelve-mistakes.json")
        do {
            _ = try GraphPlan(file: file, catalog: ToyKinds.full, settings: ["x": "1"], facts: source)
            Issue.record("expected findings")
        } catch {
            #expect(error.diagnostics.count == 13)
            #expect(error.diagnostics.first?.location?.file == "--set")
        }
    }

    @Test func descriptionNamesEveryNodeLinkAndOption() throws {
        let text = try GraphPlan(file: native(), catalog: ToyKinds.native, facts: source).describe()
        #expect(text.contains("memory: at most 132MiB of 256MiB (links 80MiB, nodes 52MiB)\n"))
        #expect(text.contains("group line: failGraph\n"))
        #expect(text.contains("node cutter    cutter            line shared segmentDuration=4s\n"))
        #expect(text.contains("link 0 reader.bytes -> demuxer.bytes bytes window\n"))
        #expect(text.contains("link 4 muxer.fragments -> publisher.fragments fragment 4MiB / 2s / 4096 items\n"))
    }

    @Test func jsonFormIsReadable() throws {
        let value = try GraphPlan(file: native(), catalog: ToyKinds.native, facts: source).json
        #expect(value["memory"]?["links"] == .integer(80 << 20))
        #expect(value["nodes"]?.elements?.count == 6)
        #expect(value["links"]?.elements?[1]["span"] == "2s")
    }
}
