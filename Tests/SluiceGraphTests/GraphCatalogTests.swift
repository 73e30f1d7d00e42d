import SluiceGraph
import Testing

struct GraphCatalogTests {
    @Test func theEightGraphsAreSoundWithAllTheirKinds() throws {
        let catalog = try GraphCatalog(directory: Repository.graphs)
        #expect(
            catalog.files.compactMap(\.name?.value) == [
                "audio-frames", "audio-only", "audio-rendition", "live", "native-loopback", "probe",
                "software-frames", "software",
            ])
        for file in catalog.files { #expect(file.validate(against: ToyKinds.full).isEmpty, "\(file.file)") }
    }

    /// What runs with the native kinds alone, and what the other graphs lack.
    @Test func kindsThatAreNotRegisteredAreFindings() throws {
        let catalog = try GraphCatalog(directory: Repository.graphs)
        #expect(catalog.graph("native-loopback")?.validate(against: ToyKinds.native).isEmpty == true)
        let missing = catalog.graph("audio-frames")?.validate(against: ToyKinds.native) ?? []
        let messages = missing.filter { $0.code == .unknownKind }.map(\.message)
        let expected = ["audio-decoder", "resampler", "pcm-sink"].map { "no node kind '\($0)'" }
        #expect(messages == expected && missing.count == expected.count)
    }

    @Test(
        arguments: [
            (RouteFacts(), "native-loopback"),
            (RouteFacts(audio: .bridge), "native-loopback"),
            (RouteFacts(video: .encode), "software"),
            (RouteFacts(video: .frames, audio: .pcm, output: .frames), "software-frames"),
            (RouteFacts(video: .none), "audio-only"),
            (RouteFacts(video: .none, audio: .pcm, output: .frames), "audio-frames"),
            (RouteFacts(isLive: true, isByteStream: false), "live"),
            (RouteFacts(audio: .bridge, output: .audioRendition), "audio-rendition"),
            (RouteFacts(output: .probe), "probe"),
            (RouteFacts(video: .encode, isLive: true, isByteStream: false), nil),
        ] as [(RouteFacts, String?)])
    func everyRouteFindsItsGraph(route: RouteFacts, name: String?) throws {
        let selection = try GraphCatalog(directory: Repository.graphs).select(route)
        #expect(selection?.file.name?.value == name)
    }

    @Test func theReasonsAreTheConditionsThatDecided() throws {
        let selection = try #require(
            GraphCatalog(directory: Repository.graphs).select(RouteFacts(output: .audioRendition)))
        let lines = selection.description.split(separator: "\n").map(String.init)
        #expect(lines.first == "audio-rendition (priority 80): request.output is audio-rendition")
        #expect(lines.contains("  passed over native-loopback: lower priority 50"))
        #expect(lines.contains("  passed over probe: not request.output is probe"))
        #expect(lines.count == 8)
    }

    func file(_ name: String, _ priority: Int?, _ conditions: String) throws -> GraphFile {
        try decoded(
            """
            { "schema": "sluice/1", "name": "\(name)", "nodes": {}, "links": [],
            "select": { "shape": "s", \(priority.map { "\"priority\": \($0), " } ?? "")"when": [\(conditions)] } }
            """, file: "\(name).json")
    }

    @Test func equalPrioritiesAreFineWhereNoRouteSatisfiesBoth() throws {
        let copy = try file("a", 5, #"{ "field": "route.video", "in": [ "copy", "none" ] }"#)
        let encode = try file("b", 5, #"{ "field": "route.video", "equals": "encode" }"#)
        let catalog = try GraphCatalog(files: [copy, encode])
        #expect(catalog.select(RouteFacts(video: .none))?.file.name?.value == "a")
        #expect(catalog.select(RouteFacts(video: .frames)) == nil)
    }

    @Test func tiesAreErrorsAtLoadWithBothNames() throws {
        let first = try file("a", nil, #"{ "field": "route.video", "equals": "copy" }"#)
        let second = try file("b", 0, #"{ "field": "source.isLive", "equals": true }"#)
        #expect {
            try GraphCatalog(files: [first, second])
        } throws: { error in
            "\(error)" == "b.json:2:39: error[ambiguous-selection]: a route can satisfy both 'b' and 'a' (a.json), "
                + "which have the same priority 0"
        }
    }

    @Test func aDirectoryThatIsNotThereIsAFinding() {
        #expect(throws: GraphValidationError.self) { try GraphCatalog(directory: "/nonexistent") }
    }

    @Test func brokenFilesOfADirectoryAreAllReported() {
        do {
            _ = try GraphCatalog(directory: Repository.badFixtures)
            Issue.record("expected findings")
        } catch {
            let codes = Set(error.diagnostics.map(\.code))
            #expect(
                codes.isSuperset(of: [.syntax, .duplicateKey, .unknownKey, .missingKey, .wrongType, .unknownSchema]))
        }
    }
}
