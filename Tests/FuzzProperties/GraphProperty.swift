import SluiceCore
import SluiceDataflow
import SluiceGraph

/// Any text is decoded to a graph or to findings; decoding and validating are repeatable and stay in the text.
enum GraphProperty {
    static let catalog = NodeCatalog([
        NodeDescriptor(
            kind: "reader", ports: [.output("bytes", .bytes)],
            options: [OptionDescriptor("url", .string(), "What is read.")], summary: "A source."),
        NodeDescriptor(
            kind: "demuxer", ports: [.input("bytes", .bytes), .output("packets", .packet)], mayBlock: true,
            summary: "A filter that blocks."),
        NodeDescriptor(
            kind: "repair", ports: [.input("packets", .packet), .output("packets", .packet)],
            options: [OptionDescriptor("patience", .integer(1...100), default: .integer(5), "A number.")],
            summary: "A filter."),
        NodeDescriptor(kind: "publisher", ports: [.input("packets", .packet)], landing: true, summary: "A sink."),
    ])

    static func violation(_ bytes: [UInt8]) -> String? {
        let (graph, findings) = GraphFile.decode(bytes, file: "input.json")
        let (_, again) = GraphFile.decode(bytes, file: "input.json")
        if findings != again { return "decoding twice gives different findings" }
        guard let graph else { return findings.isEmpty ? "no graph and no finding" : nil }
        if graph.nodes.count > GraphFile.maximumNodes { return "\(graph.nodes.count) nodes" }
        if graph.links.count > GraphFile.maximumLinks { return "\(graph.links.count) links" }
        let verdict = GraphValidator.findings(graph, catalog: catalog)
        if verdict != GraphValidator.findings(graph, catalog: catalog) { return "validating twice differs" }
        for finding in findings where !verdict.contains(finding) { return "validation lost a finding: \(finding)" }
        for finding in verdict where !JSONProperty.isInside(finding.location, bytes) {
            return "a finding outside the text: \(finding)"
        }
        return nil
    }
}
