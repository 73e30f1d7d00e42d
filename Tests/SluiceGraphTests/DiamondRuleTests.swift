import SluiceCore
import SluiceDataflow
import SluiceGraph
import Testing

/// A splitter whose video path lags by the encoder's look-ahead, and a merger that waits for it.
struct DiamondRuleTests {
    let kinds = NodeCatalog(
        ToyKinds.line + ToyKinds.sinks + [
            ToyKinds.filter("lag1500", lookAhead: .milliseconds(1500)),
            ToyKinds.filter("lag500", lookAhead: .milliseconds(500)),
            NodeDescriptor(
                kind: "joint",
                ports: [.input("a", .packet), .input("b", .packet, required: false), .output("packets", .packet)],
                summary: "Joins without waiting."),
        ])

    let source = ("in", "{ \"kind\": \"live-ingest\", \"thread\": \"dedicated\", \"options\": { \"url\": \"x\" } }")

    func diamonds(_ nodes: [(String, String)], _ links: [String]) throws -> [String] {
        let text = graph([source] + nodes, links, extra: "\"limits\": { \"memory\": \"8GiB\" },")
        let found = try decoded(text).validate(against: kinds)
        #expect(found.allSatisfy { $0.code == .unbufferedDiamond }, "\(found)")
        return found.map { "\($0.path): \($0.message)" }
    }

    func fork(audio: String, video: String = "", join: String = "stream-merger") throws -> [String] {
        try diamonds(
            [
                ("s", "stream-splitter"), ("e1", "lag1500"), ("e2", "lag500"), ("f", "repair"), ("m", join),
                ("out", "hash-sink"),
            ],
            [
                "in.packets > s.packets", "s.video > e1.packets | \"limits\": { \"span\": \"5s\" }\(video)",
                "e1.packets > e2.packets | \"limits\": { \"span\": \"5s\" }",
                "e2.packets > m.\(join == "joint" ? "a" : "video")",
                "s.audio > f.packets | \"limits\": { \"span\": \"9s\" }",
                "f.packets > m.\(join == "joint" ? "b" : "audio") | \(audio)", "m.packets > out.packets",
            ])
    }

    /// The other path lags by 1.5 s + 0.5 s; the smallest span on this one has to be more.
    @Test(arguments: [("1999ms", false), ("2s", false), ("2001ms", true), ("8s", true)])
    func spanMustExceedTheOtherPathsLookAhead(span: String, isFine: Bool) throws {
        let found = try fork(audio: "\"limits\": { \"span\": \"\(span)\" }")
        #expect(
            found
                == (isFine
                    ? []
                    : [
                        "links[5].to: two blocking paths from 's' meet again at 'm', one buffers \(span) while the other lags "
                            + "by up to 2s; a larger span or \"overflow\" on one of them helps"
                    ]))
    }

    @Test func aPathThatDropsNeedsNoBuffer() throws {
        #expect(try fork(audio: "\"overflow\": \"dropOldest\"") == [])
        #expect(try fork(audio: "\"limits\": { \"span\": \"1ms\" }", video: ", \"overflow\": \"dropNewest\"") == [])
    }

    @Test func aJoinThatIsNoMergerIsRefusedWithAnySpan() throws {
        let found = try fork(audio: "\"limits\": { \"span\": \"60s\" }", join: "joint")
        #expect(found.count == 1)
        #expect(
            found.first?.hasSuffix("which waits for neither; let one drop (\"overflow\") or join them in a merger")
                == true)
    }

    @Test func twoLinksBetweenTheSameNodesAreADiamond() throws {
        let direct = ["in.packets > s.packets", "s.video > m.video", "s.audio > m.audio", "m.packets > out.packets"]
        let nodes = [("s", "stream-splitter"), ("m", "stream-merger"), ("out", "hash-sink")]
        #expect(try diamonds(nodes, direct) == [])
        let joint = direct.map {
            $0.replacing("m.video", with: "m.a").replacing("m.audio", with: "m.b")
        }
        #expect(try diamonds([nodes[0], ("m", "joint"), nodes[2]], joint).count == 1)
    }

    /// The look-ahead before a join is no matter of a fork behind it.
    @Test func diamondsInARowAreJudgedOneByOne() throws {
        let nodes = [
            ("s", "stream-splitter"), ("e", "lag1500"), ("m", "stream-merger"), ("s2", "stream-splitter"),
            ("m2", "stream-merger"), ("out", "hash-sink"),
        ]
        func links(_ first: String, _ second: String) -> [String] {
            [
                "in.packets > s.packets", "s.video > e.packets", "e.packets > m.video",
                "s.audio > m.audio | \"limits\": { \"span\": \"\(first)\" }",
                "m.packets > s2.packets", "s2.video > m2.video",
                "s2.audio > m2.audio | \"limits\": { \"span\": \"\(second)\" }",
                "m2.packets > out.packets",
            ]
        }
        #expect(try diamonds(nodes, links("2s", "10ms")) == [])
        #expect(try diamonds(nodes, links("1s", "10ms")).count == 1)
    }

    /// The lag on one side of an inner fork counts for the outer join.
    @Test func nestedDiamondsCountTheWorstPath() throws {
        let nodes = [
            ("s", "stream-splitter"), ("t", "stream-splitter"), ("e", "lag1500"), ("e2", "lag500"),
            ("n", "stream-merger"),
            ("m", "stream-merger"), ("out", "hash-sink"),
        ]
        func links(_ span: String) -> [String] {
            [
                "in.packets > s.packets", "s.video > t.packets", "t.video > e.packets", "e.packets > n.video",
                "t.audio > n.audio | \"limits\": { \"span\": \"2s\" }", "n.packets > e2.packets",
                "e2.packets > m.video",
                "s.audio > m.audio | \"limits\": { \"span\": \"\(span)\" }", "m.packets > out.packets",
            ]
        }
        #expect(try diamonds(nodes, links("2001ms")) == [])
        #expect(try diamonds(nodes, links("2s")).map { $0.prefix(11) } == ["links[7].to"])
    }

    /// A ladder of forks has 2^40 paths; the rule must not walk them.
    @Test func manyPathsAreCheckedWithoutListingThem() throws {
        var nodes: [(String, String)] = []
        var links = ["in.packets > s0.packets"]
        for step in 0..<40 {
            nodes += [("s\(step)", "stream-splitter"), ("m\(step)", "stream-merger")]
            links += ["s\(step).video > m\(step).video", "s\(step).audio > m\(step).audio"]
            links.append("m\(step).packets > \(step < 39 ? "s\(step + 1)" : "out").packets")
        }
        #expect(try diamonds(nodes + [("out", "hash-sink")], links) == [])
    }
}
