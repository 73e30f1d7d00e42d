import Foundation
import SluiceGraph
import Testing

struct JSONParserTests {
    func parse(_ text: String) -> (JSONNode?, [GraphDiagnostic]) {
        JSONDocument.parse(Array(text.utf8), file: "t.json")
    }

    @Test(
        arguments: [
            ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-12", -12), ("1.0", .real(1)),
            ("-0", .real(-0.0)), ("1e3", .real(1000)), ("2.5E-1", .real(0.25)),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .real(9_223_372_036_854_775_808)), ("\"\"", ""),
            (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{c}\n\r\t")), (#""\u00e9\u20AC""#, "é€"),
            (#""\ud834\uDD1E""#, "𝄞"), (#""\u0000""#, .string("\u{0}")), ("[]", []), ("{}", .object([])),
            ("[1,[2],{\"a\":[]}]", [1, [2], ["a": []]]), ("\r\n{ \"b\" : 1 ,\t\"a\" : 2 }", ["b": 1, "a": 2]),
        ] as [(String, JSONValue)])
    func validTextGivesItsValue(text: String, value: JSONValue) throws {
        let (node, findings) = parse(text)
        #expect(findings.isEmpty)
        #expect(node?.value == value)
    }

    /// Line and column are those of the first character that does not fit.
    @Test(arguments: [
        ("", 1, 1), ("  \n ", 2, 2), ("{", 1, 2), ("[1,]", 1, 4), ("[1 2]", 1, 4), ("{\"a\":1,}", 1, 8),
        ("{a:1}", 1, 2), ("{\"a\" 1}", 1, 6), ("[1]]", 1, 4), ("nul", 1, 1), ("\n\n  treu", 3, 3), ("01", 1, 2),
        ("-", 1, 2), ("1.", 1, 3), ("1.e2", 1, 3), ("1e", 1, 3), ("+1", 1, 1), (".5", 1, 1), ("1e999", 1, 1),
        ("\"abc", 1, 1), ("\"\\x\"", 1, 2), ("\"\\u12g4\"", 1, 6), ("\"\\ud800\"", 1, 2), ("\"\\udc00x\"", 1, 2),
        ("\"\\ud800\\u0041\"", 1, 2), ("\"a\tb\"", 1, 3), ("\"a\nb\"", 1, 3), ("'a'", 1, 1), ("// no\n1", 1, 1),
        ("NaN", 1, 1), ("\u{FEFF}1", 1, 1), ("[\"é\u{1D11E}x\", ?]", 1, 9), ("{\"a\":{\"b\":[1,\n2}}}", 2, 2),
    ])
    func brokenTextIsReportedWhereItBreaks(text: String, line: Int, column: Int) throws {
        let (node, findings) = parse(text)
        #expect(node == nil)
        let first = try #require(findings.first)
        #expect(first.code == .syntax)
        #expect(first.location?.line == line, "\(first)")
        #expect(first.location?.column == column, "\(first)")
    }

    @Test(
        arguments: [
            ([0x22, 0xFF, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x22, 0xE2, 0x82], 1), ([0x20, 0x80], 1),
            ([0x22, 0xC3, 0xA9, 0xF0, 0x80, 0x80, 0x80], 3),
        ] as [([UInt8], Int)])
    func invalidUTF8IsASyntaxErrorAtItsByte(bytes: [UInt8], offset: Int) {
        let (node, findings) = JSONDocument.parse(bytes, file: "t")
        #expect(node == nil)
        #expect(findings.map(\.code) == [.syntax])
        #expect(findings.first?.location?.offset == offset)
    }

    @Test func placesCountLinesColumnsInCharactersAndBytes() throws {
        let (node, _) = parse("{\n  \"é€\": [\"𝄞\",\r\n\t7]\n}")
        guard case .object(let members)? = node?.content, case .array(let elements) = members[0].value.content else {
            Issue.record("expected an object with an array")
            return
        }
        func place(_ location: SluiceGraph.SourceLocation) -> [Int] {
            [location.line, location.column, location.offset]
        }
        #expect(place(members[0].key.location) == [2, 3, 4])
        #expect(place(members[0].value.location) == [2, 9, 13])
        #expect(place(elements[0].location) == [2, 10, 14])
        #expect(place(elements[1].location) == [3, 2, 24])
    }

    @Test func duplicateKeysAreAllReportedAndTheFirstCounts() {
        let (node, findings) = parse("{\"a\":1,\n\"b\":2,\n \"a\":3, \"a\":4, \"\\u0062\":5}")
        #expect(node?.value == ["a": 1, "b": 2])
        #expect(findings.map(\.code) == [.duplicateKey, .duplicateKey, .duplicateKey])
        #expect(findings.map { $0.location?.column } == [2, 9, 16])
        #expect(
            findings.first?.description
                == "t.json:3:2: error[duplicate-key]: key 'a' is already on line 1, column 2")
    }

    @Test func severalFaultsInStringsAreReportedTogether() {
        let (_, findings) = parse("[\"\\q\", \"\\ud800\", \"\u{1}\"]")
        #expect(findings.map { $0.location?.column } == [3, 9, 19])
    }

    @Test func misspeltWordsGetAHint() {
        #expect(parse("[tru]").1.first?.hint == "true")
        #expect(parse("nul").1.first?.hint == "null")
    }

    @Test func nestingIsBoundedAt64() {
        let fits = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(parse(fits).0 != nil)
        let (node, findings) = parse("[" + fits + "]")
        #expect(node == nil)
        #expect(findings.first?.location?.column == 65)
        #expect(parse(String(repeating: "[{\"a\":", count: 100_000)).0 == nil)
    }

    @Test func sizeIsBoundedAtOneMebibyte() {
        let limit = 1 << 20
        let fits = "\"" + String(repeating: "x", count: limit - 2) + "\""
        #expect(parse(fits).0?.value.text?.count == limit - 2)
        let (node, findings) = parse(fits + " ")
        #expect(node == nil)
        #expect(findings.map(\.code) == [.syntax])
    }

    @Test func hugeNumbersAndManyFaultsEndSoon() {
        #expect(
            parse(String(repeating: "9", count: 300)).0?.value == .real(Double(String(repeating: "9", count: 300))!))
        #expect(parse(String(repeating: "9", count: 400_000)).0 == nil)
        let (_, findings) = parse("[\"" + String(repeating: "\\q", count: 400_000) + "\"]")
        #expect(findings.count == 101)
        let (_, duplicates) = parse("{" + Array(repeating: "\"a\":1", count: 100_000).joined(separator: ",") + "}")
        #expect(duplicates.count == 101)
    }

    /// The system's reader is the oracle for the writer.
    @Test(arguments: [JSONValue.Layout.compact, .pretty])
    func writtenTextIsReadBackEquallyByBothReaders(layout: JSONValue.Layout) throws {
        let value: JSONValue = [
            "quotes \" \\ /": "line\nbreak\ttab\r\u{0}\u{1F}\u{7F}\u{2028}é𝄞", "list": [1, -2.5, 1e300, true, nil, []],
            "object": ["z": 1, "a": .object([])], "least": .integer(.min), "tiny": .real(.leastNonzeroMagnitude),
        ]
        let text = value.encoded(layout)
        #expect(parse(text).0?.value == value)
        let foreign = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(foreign["quotes \" \\ /"] as? String == value["quotes \" \\ /"]?.text)
        #expect(foreign["tiny"] as? Double == .leastNonzeroMagnitude)
        #expect((foreign["list"] as? [Any])?.count == 6)
    }

    @Test func layoutIsStable() {
        let value: JSONValue = ["b": [1, ["x": nil]], "a": .object([]), "r": .real(.infinity)]
        #expect(value.encoded() == #"{"b":[1,{"x":null}],"a":{},"r":null}"#)
        #expect(
            value.encoded(.pretty) == """
                {
                  "b": [
                    1,
                    {
                      "x": null
                    }
                  ],
                  "a": {},
                  "r": null
                }
                """)
    }

    /// A fixed walk over mutations of a real file: nothing traps, and what is read is written and read back equally.
    @Test func mutatedTextNeverTrapsAndRoundTrips() throws {
        let original = Array(try Repository.text("Graphs/software.json").utf8)
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        for _ in 0..<300 {
            var bytes = original
            for _ in 0...next(4) {
                let position = next(bytes.count)
                switch next(4) {
                case 0: bytes[position] = UInt8(next(256))
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(Array("{}[]\",:0-".utf8)[next(9)], at: position)
                default: bytes.removeLast(next(bytes.count / 4))
                }
            }
            let (node, findings) = JSONDocument.parse(bytes, file: "m")
            if let node {
                let again = JSONDocument.parse(Array(node.value.encoded().utf8), file: "m").0
                #expect(again?.value == node.value)
            } else {
                #expect(!findings.isEmpty)
            }
            _ = GraphFile.decode(bytes, file: "m").0?.validate(against: ToyKinds.full)
        }
    }
}
