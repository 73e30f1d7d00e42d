import Foundation
import SluiceGraph
import Testing

/// Files of this repository, found from this source file.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    static let graphs = "\(root)/Graphs"
    static let badFixtures = "\(root)/Fixtures/bad"

    static func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
    }
}

/// The graph in `text`, which must be JSON with an object.
func decoded(_ text: String, file: String = "t.json") throws -> GraphFile {
    let (graph, findings) = GraphFile.decode(Array(text.utf8), file: file)
    return try #require(graph, "\(findings)")
}

/// All findings of decoding and validation, one description each.
func findings(_ text: String, catalog: NodeCatalog = ToyKinds.full) throws -> [String] {
    try decoded(text).validate(against: catalog).map(\.description)
}

/// A graph with the given nodes and links in short form: `"a": kind`, `a.x > b.y`.
func graph(_ nodes: [(String, String)], _ links: [String], extra: String = "") -> String {
    let nodeLines = nodes.map { name, body in
        "\"\(name)\": \(body.hasPrefix("{") ? body : "{ \"kind\": \"\(body)\" }")"
    }
    let linkLines = links.map { link in
        let halves = link.components(separatedBy: " | ")
        let ends = halves[0].components(separatedBy: " > ")
        let more = halves.count > 1 ? ", \(halves[1])" : ""
        return "{ \"from\": \"\(ends[0])\", \"to\": \"\(ends[1])\"\(more) }"
    }
    return """
        { "schema": "sluice/1", "name": "t", \(extra)
        "nodes": { \(nodeLines.joined(separator: ",\n")) },
        "links": [ \(linkLines.joined(separator: ",\n")) ] }
        """
}
