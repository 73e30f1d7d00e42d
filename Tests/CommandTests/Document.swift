import Foundation

/// A file of the repository as text; for Markdown also its links, fences and commands.
struct Document {
    /// Relative to the root.
    let path: String
    let text: String

    init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Subprocess.packageRoot.appending(path: path), encoding: .utf8)
    }

    /// The README and every Markdown file of `docs/`.
    static func all() throws -> [Document] {
        let folder = Subprocess.packageRoot.appending(path: "docs").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }.sorted()
        return try (["README.md"] + names.map { "docs/\($0)" }).map { try Document($0) }
    }

    var folder: URL { Subprocess.packageRoot.appending(path: path).deletingLastPathComponent() }

    /// Targets of `[text](target)`.
    var links: [String] { text.matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) } }

    /// Words after `sluice` wherever code shows it as a program: at most two, options left out.
    var commands: [[String]] {
        text.matches(of: /(?m)(?:^|`|\$ )sluice ([a-z][a-z-]*)(?: ([a-z]+)(?=[\s`]))?/).map { match in
            [String(match.1)] + (match.2.map { [String($0)] } ?? [])
        }
    }

    /// Fenced code that directly follows `<!-- key: claim -->`, with the claim.
    func fences(after key: String) -> [(claim: String, code: String)] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var found: [(claim: String, code: String)] = []
        for index in lines.indices where lines[index].hasPrefix("<!-- \(key): ") && lines[index].hasSuffix(" -->") {
            let claim = String(lines[index].dropFirst("<!-- \(key): ".count).dropLast(" -->".count))
            guard index + 1 < lines.count, lines[index + 1].hasPrefix("```"),
                let end = lines[(index + 2)...].firstIndex(of: "```")
            else { continue }
            found.append((claim, lines[(index + 2)..<end].joined(separator: "\n") + "\n"))
        }
        return found
    }
}
