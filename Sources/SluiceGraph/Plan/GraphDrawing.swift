import SluiceCore
import SluiceDataflow

/// Places a plan's nodes in columns from left to right and draws them as SVG.
///
/// A node's column is the longest path that leads to it; within a column nodes keep close to what feeds them.
struct GraphDrawing {
    static let boxWidth = 150
    static let boxHeight = 46
    static let columnStep = 230
    static let rowStep = 84
    static let margin = 24
    static let header = 40

    let plan: GraphPlan
    /// Left upper corners by node name.
    let places: [String: (x: Int, y: Int)]
    let width: Int
    let height: Int

    init(_ plan: GraphPlan) {
        self.plan = plan
        let columns = Self.columns(plan)
        var places: [String: (x: Int, y: Int)] = [:]
        let rows = columns.map(\.count).max() ?? 0
        for (column, names) in columns.enumerated() {
            let top = Self.margin + Self.header + (rows - names.count) * Self.rowStep / 2
            for (row, name) in names.enumerated() {
                places[name] = (Self.margin + column * Self.columnStep, top + row * Self.rowStep)
            }
        }
        self.places = places
        width = 2 * Self.margin + max(0, columns.count - 1) * Self.columnStep + Self.boxWidth
        height = 2 * Self.margin + Self.header + max(1, rows) * Self.rowStep
    }

    private static func columns(_ plan: GraphPlan) -> [[String]] {
        var column: [String: Int] = [:]
        for node in plan.nodes { column[node.name] = 0 }
        // A validated graph has no cycle; the bound on rounds holds for any.
        for _ in plan.nodes {
            var moved = false
            for link in plan.links {
                guard let from = column[link.fromNode], let to = column[link.toNode], to <= from else { continue }
                column[link.toNode] = min(from + 1, plan.nodes.count)
                moved = true
            }
            if !moved { break }
        }
        let count = (column.values.max() ?? -1) + 1
        var columns = [[String]](repeating: [], count: count)
        for node in plan.nodes { columns[column[node.name] ?? 0].append(node.name) }
        var rank: [String: Double] = [:]
        for index in columns.indices {
            let wanted = columns[index].enumerated().map { row, name in
                let feeders = plan.links(into: name).compactMap { rank[$0.fromNode] }
                return (
                    name: name, row: row,
                    at: feeders.isEmpty ? Double(row) : feeders.reduce(0, +) / Double(feeders.count)
                )
            }
            columns[index] = wanted.sorted { ($0.at, $0.row) < ($1.at, $1.row) }.map(\.name)
            for (row, name) in columns[index].enumerated() {
                rank[name] = Double(row) - Double(columns[index].count - 1) / 2
            }
        }
        return columns
    }

    func svg() -> String {
        var text = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" font-family="sans-serif" font-size="12">
            <title>\(Self.escaped(plan.name))</title>
            <defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" \
            orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#556"/></marker></defs>
            <text x="\(Self.margin)" y="\(Self.margin + 6)" font-size="15" font-weight="bold">\
            \(Self.escaped(plan.name))</text>
            <text x="\(Self.margin)" y="\(Self.margin + 24)" fill="#556">\(Self.escaped(plan.summary))</text>

            """
        for (index, link) in plan.links.enumerated() { text += line(index, link) }
        for node in plan.nodes { text += box(node) }
        return text + "</svg>\n"
    }

    private func line(_ index: Int, _ link: PlannedLink) -> String {
        guard let from = places[link.fromNode], let to = places[link.toNode] else { return "" }
        let (outputs, inputs) = (plan.links(outOf: link.fromNode), plan.links(into: link.toNode))
        let startX = from.x + Self.boxWidth
        let startY = from.y + Self.port(outputs.firstIndex(of: link) ?? 0, of: outputs.count)
        let endY = to.y + Self.port(inputs.firstIndex(of: link) ?? 0, of: inputs.count)
        let bend = max(40, (to.x - startX) / 2)
        let path = "M\(startX) \(startY) C\(startX + bend) \(startY) \(to.x - bend) \(endY) \(to.x) \(endY)"
        let dashes = link.overflow == .suspend ? "" : " stroke-dasharray=\"5 3\""
        return """
            <g id="link-\(index)" class="link">
            <title>\(Self.escaped("\(link.endpoints), \(link.payload.rawValue), \(link.capacity)"))</title>
            <path d="\(path)" fill="none" stroke="#556" stroke-width="1.5"\(dashes) marker-end="url(#arrow)"/>
            <text x="\(startX + 6)" y="\(startY - 4)" font-size="10" fill="#556">\(Self.escaped(link.fromPort))</text>
            </g>

            """
    }

    private func box(_ node: PlannedNode) -> String {
        guard let place = places[node.name] else { return "" }
        let (fill, thread) =
            switch node.thread {
            case .pool: ("#eaf2fb", "pool")
            case .shared: ("#e6f4ea", "lane of the group")
            case .dedicated: ("#fdf0d5", "own lane")
            }
        return """
            <g id="node-\(Self.escaped(node.name))" class="node">
            <title>\(Self.escaped("\(node.descriptor.summary) Group \(node.group), \(thread)."))</title>
            <rect x="\(place.x)" y="\(place.y)" width="\(Self.boxWidth)" height="\(Self.boxHeight)" rx="6" \
            fill="\(fill)" stroke="#334"/>
            <text x="\(place.x + Self.boxWidth / 2)" y="\(place.y + 20)" text-anchor="middle" font-weight="bold">\
            \(Self.escaped(node.name))</text>
            <text x="\(place.x + Self.boxWidth / 2)" y="\(place.y + 36)" text-anchor="middle" fill="#556">\
            \(Self.escaped(node.kind))</text>
            </g>

            """
    }

    /// Height at which the `index`th of `count` links meets a box.
    private static func port(_ index: Int, of count: Int) -> Int { boxHeight * (index + 1) / (count + 1) }

    /// `text` as XML character data or attribute value; characters that XML 1.0 cannot hold are replaced.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += " "
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension GraphPlan {
    /// The plan as an SVG drawing, left to right. Every node has the id `node-NAME`, every link `link-N` by its position.
    public func svg() -> String { GraphDrawing(self).svg() }
}
