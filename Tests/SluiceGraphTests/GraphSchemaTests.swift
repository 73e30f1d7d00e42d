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
}
