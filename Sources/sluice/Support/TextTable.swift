import SluiceCore

/// Rows of columns, padded so that they stand under each other.
struct TextTable {
    private var rows: [[String]]
    /// Columns whose text ends at the same place, such as numbers.
    private let rightAligned: Set<Int>

    init(_ header: [String], rightAligned: Set<Int> = []) {
        rows = [header]
        self.rightAligned = rightAligned
    }

    mutating func add(_ row: [String]) { rows.append(row.map { TerminalText.line($0) }) }

    /// One line a row, two spaces between columns, nothing behind the last.
    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                line += (column > 0 ? "  " : "") + (rightAligned.contains(column) ? padding + cell : cell + padding)
            }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
