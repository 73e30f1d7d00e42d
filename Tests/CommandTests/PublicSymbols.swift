import Foundation

/// The public declarations of a target, read from its sources: types in alphabetical order, each with its members.
struct PublicSymbols {
    struct Entry {
        var kind = "extension"
        /// First sentence of its documentation.
        var summary = ""
        var members: Set<String> = []
    }

    /// By name; nested types have the name of the outer one before a dot. Functions of no type are under "".
    private(set) var entries: [String: Entry] = [:]

    private struct Scope {
        var indent: Int
        var name: String
        /// Whether what stands in it is public without saying so: requirements, cases, members of public extensions.
        var isOpen: Bool
        var isType: Bool
    }

    init(target: String) throws {
        for file in try StyleTests.files("Sources/\(target)") { read(file) }
        entries = entries.filter { $0.value.kind != "extension" || !$0.value.members.isEmpty }
    }

    private mutating func read(_ file: StyleTests.File) {
        var scopes: [Scope] = []
        var comment: [Substring] = []
        var attributes = ""
        for line in file.lines {
            let text = line.drop { $0 == " " }
            let indent = line.count - text.count
            guard !text.isEmpty else {
                comment = []
                continue
            }
            if text.hasPrefix("///") {
                comment.append(text.dropFirst(3))
                continue
            }
            if text.hasPrefix("@"), !text.contains(Self.declaration) {
                attributes = String(text)
                continue
            }
            scopes.removeAll { $0.indent >= indent }
            // Bodies of functions and closures hold nothing public.
            if let match = text.firstMatch(of: Self.declaration), scopes.allSatisfy(\.isType) {
                add(match, text, indent, comment, attributes, &scopes)
            } else if text.hasSuffix("{") {
                scopes.append(Scope(indent: indent, name: "", isOpen: false, isType: false))
            }
            comment = []
            attributes = ""
        }
    }

    private mutating func add(
        _ match: Regex<(Substring, Substring, Substring, Substring?)>.Match, _ text: Substring, _ indent: Int,
        _ comment: [Substring], _ attributes: String, _ scopes: inout [Scope]
    ) {
        let (modifiers, kind) = (match.1, String(match.2))
        let name = match.3.map { String($0.drop { $0 == " " }) } ?? kind
        let outer = scopes.map(\.name).joined(separator: ".")
        let isPublic = modifiers.contains("public") || (scopes.last?.isOpen ?? false)
        if Self.types.contains(kind) {
            let path = outer.isEmpty || kind == "extension" ? name : "\(outer).\(name)"
            let opens = isPublic && (kind == "protocol" || kind == "enum" || kind == "extension")
            scopes.append(Scope(indent: indent, name: name, isOpen: opens, isType: true))
            guard kind == "extension" || isPublic else { return }
            if kind != "extension" {
                entries[path, default: Entry()].kind = kind
                entries[path]?.summary = Self.sentence(comment)
            } else if entries[path] == nil {
                entries[path] = Entry()
            }
            return
        }
        defer {
            if text.hasSuffix("{") { scopes.append(Scope(indent: indent, name: "", isOpen: false, isType: false)) }
        }
        // Cases are as public as their enum; other members of an enum say so themselves.
        let isCase = kind == "case"
        let isRequirement = scopes.last?.isOpen == true && (isCase || outer.isEmpty == false)
        guard modifiers.contains("public") || (isRequirement && (isCase || isProtocol(outer))) else { return }
        let names = isCase ? Self.cases(text) : [kind == "func" || kind == "init" ? "\(name)()" : name]
        entries[outer, default: Entry()].members.formUnion(names)
    }

    private func isProtocol(_ path: String) -> Bool { entries[path]?.kind == "protocol" }

    private static let types: Set<String> = ["struct", "class", "enum", "actor", "protocol", "extension", "typealias"]
    nonisolated(unsafe) private static let declaration =
        #/^((?:@[\w()]+ |public |package |internal |private |fileprivate |static |final |mutating |nonisolated(?:\(unsafe\))? |consuming |borrowing |indirect |override |convenience |required |weak |lazy |private\(set\) |package\(set\) |internal\(set\) )*)(struct|class|enum|actor|protocol|extension|typealias|func|var|let|init|subscript|case)\b([ ][\w.+=<>*\/~|&!-]+)?/#

    /// `case a, b(Int)` names a and b.
    private static func cases(_ text: Substring) -> [String] {
        var (names, depth, word) = ([String](), 0, "")
        for character in text.dropFirst(text.hasPrefix("indirect") ? 14 : 5) + "," {
            switch character {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "," where depth == 0:
                names.append(String(word.prefix { $0 != " " }))
                word = ""
            case _ where depth == 0: if !(word.isEmpty && character == " ") { word.append(character) }
            default: break
            }
        }
        return names.filter { !$0.isEmpty }
    }

    private static func sentence(_ comment: [Substring]) -> String {
        let first = comment.prefix { !$0.allSatisfy { $0 == " " } && !$0.hasPrefix(" - ") }
        let text = first.map { $0.drop { $0 == " " } }.joined(separator: " ").replacing("``", with: "`")
        guard let end = text.firstRange(of: #/[.:;] /#) else {
            return text.hasSuffix(".") ? String(text.dropLast()) : text
        }
        return String(text[..<end.lowerBound])
    }
}
