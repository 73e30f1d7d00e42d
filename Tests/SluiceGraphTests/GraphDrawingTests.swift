import Foundation
import FoundationXML
import SluiceDataflow
import SluiceGraph
import Testing

struct GraphDrawingTests {
    /// Collects what a foreign XML reader sees.
    final class Reader: NSObject, XMLParserDelegate {
        var ids: [String] = []
        var boxes: [(x: Int, y: Int)] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if let id = attributes["id"] { ids.append(id) }
            if name == "rect" { boxes.append((Int(attributes["x"] ?? "") ?? -1, Int(attributes["y"] ?? "") ?? -1)) }
        }
        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }

    func read(_ plan: GraphPlan) throws -> Reader {
        let parser = XMLParser(data: Data(plan.svg().utf8))
        let reader = Reader()
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        return reader
    }

    @Test(arguments: ["native-loopback", "software", "live", "software-frames"])
    func everyNodeAndLinkIsDrawnOnceAndLeftToRight(name: String) throws {
        let file = try GraphFile.load(path: "\(Repository.graphs)/\(name).json")
        let facts = GraphFacts(sourceURL: "u", route: RouteFacts(audio: .bridge))
        let plan = try GraphPlan(file: file, catalog: ToyKinds.full, facts: facts)
        let reader = try read(plan)
        let expected =
            ["arrow"] + plan.links.indices.map { "link-\($0)" } + plan.nodes.map { "node-\($0.name)" }
        #expect(reader.ids.sorted() == expected.sorted())
        var columns: [String: Int] = [:]
        for (node, box) in zip(plan.nodes, reader.boxes) { columns[node.name] = box.x }
        for link in plan.links {
            #expect(columns[link.fromNode, default: 0] < columns[link.toNode, default: 0])
        }
        #expect(Set(reader.boxes.map { "\($0.x),\($0.y)" }).count == plan.nodes.count, "no box covers another")
    }

    @Test func hostileTextIsEscaped() throws {
        let sink = NodeDescriptor(kind: "a<b>&\"'", ports: [], summary: "]]> \u{1} & <script>")
        let plan = GraphPlan(
            name: "<x>&", summary: "\u{0}\u{FFFF}\"", nodes: [PlannedNode(name: "n", descriptor: sink)], links: [])
        let reader = try read(plan)
        #expect(reader.text.contains("a<b>&\"'"))
        #expect(reader.text.contains("<script>"))
    }

    @Test func anEmptyPlanIsDrawn() throws {
        #expect(try read(GraphPlan(name: "none", nodes: [], links: [])).ids == ["arrow"])
    }
}
