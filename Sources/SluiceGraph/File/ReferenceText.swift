/// A string of a graph file cut into literal text and `${name}` references.
struct ReferenceText {
    enum Piece: Equatable {
        case literal(String)
        case reference(String)
    }

    var pieces: [Piece]
    /// A `${` without its `}`.
    var isUnclosed = false

    init(_ text: String) {
        pieces = []
        var rest = Substring(text)
        while let start = Self.opening(in: rest) {
            if start > rest.startIndex { pieces.append(.literal(String(rest[..<start]))) }
            let inside = rest[start...].dropFirst(2)
            guard let end = inside.firstIndex(of: "}") else {
                isUnclosed = true
                return
            }
            pieces.append(.reference(String(inside[..<end])))
            rest = inside[inside.index(after: end)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
    }

    var hasReferences: Bool {
        isUnclosed || pieces.contains { if case .reference = $0 { true } else { false } }
    }

    /// Every name that is referred to.
    var names: [String] { pieces.compactMap { if case .reference(let name) = $0 { name } else { nil } } }

    /// The name if the whole string is one reference.
    var whole: String? {
        if pieces.count == 1, !isUnclosed, case .reference(let name) = pieces[0] { name } else { nil }
    }

    private static func opening(in text: Substring) -> Substring.Index? {
        var from = text.startIndex
        while let dollar = text[from...].firstIndex(of: "$") {
            from = text.index(after: dollar)
            if from < text.endIndex, text[from] == "{" { return dollar }
        }
        return nil
    }
}
