import SluiceGraph
import Testing

/// One file a code, each with exactly one mistake; the places were counted in the files, not taken from the validator.
struct BadFixtureTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let code: GraphDiagnostic.Code
        let line: Int
        let column: Int
        var hint: String?
        var testDescription: String { code.rawValue }

        init(_ code: GraphDiagnostic.Code, _ line: Int, _ column: Int, hint: String? = nil) {
            (self.code, self.line, self.column, self.hint) = (code, line, column, hint)
        }
    }

    static let rows: [Row] = [
        Row(.syntax, 13, 54),
        Row(.duplicateKey, 9, 5),
        Row(.unknownKey, 7, 35, hint: "group"),
        Row(.missingKey, 13, 5),
        Row(.wrongType, 4, 14),
        Row(.unknownSchema, 2, 13, hint: "sluice/1"),
        Row(.unknownKind, 7, 25, hint: "repair"),
        Row(.unknownPort, 13, 39, hint: "packets"),
        Row(.wrongDirection, 13, 15),
        Row(.payloadMismatch, 13, 39),
        Row(.unlinkedRequiredPort, 9, 5),
        Row(.outputLinkedTwice, 15, 15),
        Row(.inputLinkedTwice, 17, 39),
        Row(.unreachableNode, 9, 5),
        Row(.noSink, 4, 3),
        Row(.cycle, 15, 15),
        Row(.unknownOption, 5, 72, hint: "readAhead"),
        Row(.optionType, 5, 85),
        Row(.optionRange, 5, 85),
        Row(.unresolvedReference, 5, 55, hint: "source.url"),
        Row(.blockingOnPool, 6, 5),
        Row(.unknownGroup, 8, 44, hint: "line"),
        Row(.memoryBound, 4, 25),
        Row(.zeroCapacity, 13, 76),
        Row(.unbufferedDiamond, 22, 39),
        Row(.conditionOnRequiredNode, 8, 36),
    ]

    @Test(arguments: rows)
    func exactlyThatCodeExactlyThere(row: Row) throws {
        let text = try Repository.text("Fixtures/bad/\(row.code.rawValue).json")
        let (file, decoding) = GraphFile.decode(Array(text.utf8), file: "f.json")
        let found = file?.validate(against: ToyKinds.full) ?? decoding
        #expect(found.map(\.code) == [row.code], "\(found)")
        #expect(found.first?.location?.line == row.line)
        #expect(found.first?.location?.column == row.column)
        #expect(found.first?.severity == .error)
        #expect(found.first?.hint == row.hint)
    }

    /// Ambiguity needs two files: this one and the native graph can both be the first choice.
    @Test func ambiguousSelectionIsFoundWhenFilesAreLoadedTogether() throws {
        let native = try GraphFile.load(path: "\(Repository.graphs)/native-loopback.json")
        let other = try GraphFile.load(path: "\(Repository.badFixtures)/ambiguous-selection.json")
        #expect(other.validate(against: ToyKinds.full).isEmpty)
        do {
            _ = try GraphCatalog(files: [native, other])
            Issue.record("expected a finding")
        } catch {
            #expect(error.diagnostics.map(\.code) == [.ambiguousSelection])
            #expect(error.diagnostics.first?.location?.line == 4)
            #expect(error.diagnostics.first?.location?.column == 45)
            #expect(error.diagnostics.first?.message.contains("'native-loopback'") == true)
        }
    }

    @Test func everyCodeHasItsFixture() {
        #expect(Set(Self.rows.map(\.code) + [.ambiguousSelection, .unreadable]) == Set(GraphDiagnostic.Code.allCases))
    }

    @Test func twelveMistakesAreAllReportedInOrder() throws {
        let text = try Repository.text("Fixtures/bad/twelve-mistakes.json")
        let found = try decoded(text).validate(against: ToyKinds.full)
        let expected: [Row] = [
            Row(.unknownSchema, 2, 13), Row(.unknownKey, 4, 3), Row(.memoryBound, 5, 25), Row(.wrongType, 6, 38),
            Row(.unresolvedReference, 8, 55), Row(.unknownOption, 8, 73), Row(.blockingOnPool, 9, 47),
            Row(.duplicateKey, 10, 5), Row(.unknownKind, 11, 25), Row(.unknownGroup, 11, 46),
            Row(.optionRange, 12, 67), Row(.unknownPort, 20, 39),
        ]
        #expect(found.map(\.code) == expected.map(\.code), "\(found)")
        #expect(found.map { $0.location?.line } == expected.map(\.line))
        #expect(found.map { $0.location?.column } == expected.map(\.column))
    }
}
