import SluiceTestKit
import Testing

/// docs/api.md lists every public symbol: what is missing there, or there no longer, fails.
///
/// `SLUICE_UPDATE_GOLDEN=1` writes it anew; the test still fails then, so that somebody looks at what changed.
@Suite struct APIDocsTests {
    /// In the order in which an embedder meets them.
    static let targets: [(name: String, summary: String)] = [
        ("Sluice", "titles, segments and the origin that answers for them, without a socket"),
        ("SluiceServer", "the origin over HTTP"),
        ("SluiceGraph", "graph files, plans and the runner"),
        ("SluiceNodes", "the node kinds, the plan builder"),
        ("SluiceDataflow", "channels, ports, loops, lanes"),
        ("SluiceCore", "values: time, formats, payloads, errors"),
        ("SluiceAV", "packets, frames and readers over libavformat"),
        ("SluiceTransport", "byte sources: files, HTTP"),
        ("SluiceBitstream", "boxes, playlists, parameter sets"),
        ("SluiceCommand", "command lines"),
        ("SluiceTestKit", "harness, toys and faults for tests"),
    ]

    @Test func everyPublicSymbolIsListed() throws {
        let difference = GoldenFile("../../docs/api.md").difference(from: try Self.page())
        #expect(difference == nil)
    }

    /// What the page rests on: known symbols of every sort are found.
    @Test func theReaderFindsWhatIsThere() throws {
        let core = try PublicSymbols(target: "SluiceCore").entries
        #expect(core["Fragment"]?.members.contains("chunks") == true)
        #expect(core["Fragment.Role"]?.members.isSuperset(of: ["initialization", "media"]) == true)
        #expect(core["ByteSource"]?.kind == "protocol")
        #expect(core["ByteSource"]?.members.contains("interrupt()") == true)
        #expect(core["Locked"]?.members.contains("state") == false, "private")
        let graph = try PublicSymbols(target: "SluiceGraph").entries
        #expect(graph["ThreadPlacement"]?.members == ["pool", "shared", "dedicated"])
    }

    private static func page() throws -> [String] {
        var lines = [
            "# API", "",
            "Every public symbol by module: types with the first sentence of their documentation, then the names of their",
            "members. The sources say the rest; `make docs` makes pages of them. A test compares this list with the sources.",
        ]
        for target in targets {
            lines += [
                "", "## \(target.name)", "", "\(target.summary.prefix(1).uppercased() + target.summary.dropFirst()).",
                "",
            ]
            let entries = try PublicSymbols(target: target.name).entries
            for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
                let title = name.isEmpty ? "functions" : "`\(name)` (\(entry.kind))"
                let members = entry.members.sorted().map { "`\($0)`" }.joined(separator: ", ")
                let parts = [entry.summary, members].filter { !$0.isEmpty }.joined(separator: ". ")
                lines.append("- \(title)\(parts.isEmpty ? "" : ": \(parts)")")
            }
        }
        return lines
    }
}
