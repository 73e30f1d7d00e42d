import SluiceGraph
import Testing

struct GraphSchemaTests {
    let text = GraphSchema.generate(catalog: ToyKinds.full)

    var schema: JSONValue {
        get throws { try #require(JSONDocument.parse(Array(text.utf8), file: "s").0).value }
    }

    @Test func itIsDraft202012WithEveryKind() throws {
        let schema = try schema
        #expect(schema["$schema"]?.text == "https://json-schema.org/draft/2020-12/schema")
        let kinds = schema["$defs"]?["node"]?["properties"]?["kind"]?["enum"]?.elements?.compactMap(\.text)
        #expect(kinds == ToyKinds.full.kinds)
        #expect(GraphSchema.generate(catalog: ToyKinds.full) == text)
    }

    /// The reader needs its url, the demuxer its thread; ranges and choices come from the descriptors.
    @Test func kindsBringTheirOptions() throws {
        let rules = try #require(try schema["$defs"]?["node"]?["allOf"]?.elements)
        func consequence(_ kind: String) -> JSONValue? {
            rules.first { $0["if"]?["properties"]?["kind"]?["const"]?.text == kind }?["then"]
        }
        #expect(consequence("reader")?["required"] == ["options"])
        #expect(consequence("reader")?["properties"]?["options"]?["required"] == ["url"])
        #expect(consequence("demuxer")?["properties"]?["thread"]?["const"] == "dedicated")
        let shape = consequence("fmp4-muxer")?["properties"]?["options"]?["properties"]?["shape"]
        #expect(shape?["default"] == "renditions")
        #expect(shape?["anyOf"]?.elements?.first?["enum"] == ["renditions", "muxed"])
        let streams = consequence("demuxer")?["properties"]?["options"]?["properties"]?["streams"]
        #expect(streams?["anyOf"]?.elements?.first == ["enum": ["all", "served"]])
    }

    // MARK: - What editors do with it

    static let graphs = [
        "audio-frames", "audio-only", "audio-rendition", "live", "native-loopback", "probe", "software-frames",
        "software",
    ]

    @Test(arguments: graphs) func everyGraphIsAccepted(name: String) throws {
        let checker = try SchemaChecker(text)
        #expect(try checker.accepts(try Repository.text("Graphs/\(name).json")))
    }

    /// What is wrong with shape, kinds or options is seen while typing.
    @Test(arguments: [
        GraphDiagnostic.Code.syntax, .unknownKey, .missingKey, .wrongType, .unknownSchema, .unknownKind, .unknownOption,
        .optionType, .blockingOnPool, .zeroCapacity,
    ])
    func mistakesOfShapeAreRejected(code: GraphDiagnostic.Code) throws {
        let checker = try SchemaChecker(text)
        #expect(try !checker.accepts(try Repository.text("Fixtures/bad/\(code.rawValue).json")))
    }

    /// What links and names mean together is beyond a schema: only the validator finds these.
    @Test(arguments: [
        GraphDiagnostic.Code.unknownPort, .wrongDirection, .payloadMismatch, .unlinkedRequiredPort, .outputLinkedTwice,
        .inputLinkedTwice, .unreachableNode, .noSink, .cycle, .optionRange, .unresolvedReference, .unknownGroup,
        .memoryBound, .unbufferedDiamond, .conditionOnRequiredNode, .ambiguousSelection,
    ])
    func mistakesOfMeaningAreNotSeen(code: GraphDiagnostic.Code) throws {
        let checker = try SchemaChecker(text)
        #expect(try checker.accepts(try Repository.text("Fixtures/bad/\(code.rawValue).json")))
    }

    /// The evaluator judges as the specification says, so that the tests above mean something.
    @Test(arguments: [
        (#"{"type":"integer"}"#, "1", true), (#"{"type":"integer"}"#, "1.5", false),
        (#"{"type":"integer"}"#, "true", false), (#"{"type":"boolean"}"#, "true", true),
        (#"{"type":"boolean"}"#, "1", false), (#"{"const":"a"}"#, #""b""#, false), (#"{"enum":[1,"a"]}"#, "1", true),
        (#"{"minimum":1,"maximum":2}"#, "3", false), (#"{"minimum":1}"#, #""a""#, true),
        (#"{"pattern":"^a+$"}"#, #""ab""#, false), (#"{"required":["a"]}"#, "{}", false),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"a":1}"#, true),
        (#"{"properties":{"a":true},"additionalProperties":false}"#, #"{"b":1}"#, false),
        (#"{"propertyNames":{"pattern":"^a"}}"#, #"{"b":1}"#, false),
        (#"{"items":{"type":"string"},"minItems":1}"#, "[]", false), (#"{"items":{"type":"string"}}"#, "[1]", false),
        (#"{"maxItems":1}"#, "[1,2]", false), (#"{"maxProperties":1}"#, #"{"a":1,"b":2}"#, false),
        (#"{"oneOf":[{"type":"integer"},{"minimum":2}]}"#, "3", false),
        (#"{"anyOf":[{"type":"string"},{"minimum":2}]}"#, "3", true),
        (#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, #"{"a":1}"#, false),
        (#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, #"{"c":1}"#, true),
        (##"{"$defs":{"n":{"type":"number"}},"$ref":"#/$defs/n"}"##, #""x""#, false),
    ])
    func theEvaluatorFollowsTheSpecification(rules: String, value: String, isAccepted: Bool) throws {
        #expect(try SchemaChecker(rules).accepts(value) == isAccepted)
    }

    @Test func unknownKeywordsAreNotIgnored() throws {
        #expect(throws: SchemaChecker.Unsupported.self) { try SchemaChecker(#"{"not":{}}"#).accepts("1") }
    }
}
