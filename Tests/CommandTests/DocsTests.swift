import Foundation
import SluiceGraph
import Testing

/// What the documents say is what the program does.
@Suite struct DocsTests {
    // MARK: - Links

    @Test func everyRelativeLinkLeadsToAFile() throws {
        for document in try Document.all() {
            for link in document.links where !link.contains("://") && !link.hasPrefix("#") {
                let target = link.split(separator: "#").first.map(String.init) ?? ""
                let path = document.folder.appending(path: target).path
                #expect(FileManager.default.fileExists(atPath: path), "\(document.path): link to '\(link)'")
            }
        }
    }

    // MARK: - Commands

    /// Commands in code: `sluice run …` in a fence, or between backquotes.
    @Test(.enabled(if: Subprocess.program != nil)) func everyCommandThatIsShownExists() throws {
        let overview = try Subprocess.run(["help"]).output
        var known: Set<String> = []
        for line in overview.split(separator: "\n") where line.hasPrefix("  ") && !line.hasPrefix("   ") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            known.insert(words[0])
            if words[0] == "graph", words.count > 1 { known.insert("graph \(words[1])") }
        }
        #expect(known.contains("graph validate") && known.contains("probe"))
        var shown: Set<String> = []
        for document in try Document.all() {
            for words in document.commands {
                let name = words.first == "graph" && words.count > 1 ? "graph \(words[1])" : words[0]
                #expect(known.contains(name), "\(document.path): 'sluice \(words.joined(separator: " "))'")
                shown.insert(name)
            }
        }
        let reference = try Document("docs/cli.md").commands
        let described = Set(reference.map { $0.first == "graph" && $0.count > 1 ? "graph \($0[1])" : $0[0] })
        #expect(known.subtracting(["graph"]).subtracting(described) == [], "not in docs/cli.md")
        #expect(!shown.isEmpty)
    }

    @Test func everyMakeTargetThatIsShownExists() throws {
        let makefile = try Document("Makefile").text
        let targets = Set(makefile.matches(of: /(?m)^([a-z-]+):/).map { String($0.1) })
        for document in try Document.all() {
            for match in document.text.matches(of: /(?m)(?:^|`|\$ )make ([a-z]+)/) {
                #expect(targets.contains(String(match.1)), "\(document.path): 'make \(match.1)'")
            }
        }
    }

    // MARK: - Graph files

    /// A file that cannot be read is no example.
    static let quotable = GraphDiagnostic.Code.allCases.filter { $0 != .unreadable }

    @Test func everyDiagnosticCodeIsDocumentedOnce() throws {
        let document = try Document("docs/graph-format.md")
        let rows = document.text.matches(of: /(?m)^\| `([a-z-]+)` \| `Fixtures\/bad/).map { String($0.1) }
        #expect(rows.sorted() == Self.quotable.map(\.rawValue).sorted())
    }

    /// The place and message beside each code are those that `graph validate` prints for its fixture.
    @Test(.enabled(if: Subprocess.program != nil)) func everyDiagnosticIsQuotedAsItIsPrinted() throws {
        let document = try Document("docs/graph-format.md")
        let pattern = /(?m)^\| `([a-z-]+)` \| `(Fixtures\/bad\/[a-z-]+\.json):(\d+):(\d+)` \| (.+) \|$/
        let rows = document.text.matches(of: pattern)
        #expect(rows.count == Self.quotable.count)
        for row in rows where row.1 != "ambiguous-selection" {
            let path = Subprocess.packageRoot.appending(path: String(row.2)).path
            let errors = try Subprocess.run(["graph", "validate", path]).errors
            // Fixtures about kinds that are not built yet have that finding before their own.
            if errors.contains("error[unknown-kind]"), row.1 != "unknown-kind" { continue }
            let message = row.5.replacing("`", with: "")
            #expect(errors.contains("\(path):\(row.3):\(row.4): error[\(row.1)]: \(message)"), "\(row.1): \(errors)")
        }
    }

    /// Fences that follow `<!-- graph: ok -->` or `<!-- graph: code -->` are checked as files.
    @Test(.enabled(if: Subprocess.program != nil)) func everyGraphThatIsShownIsWhatItClaims() throws {
        var count = 0
        for document in try Document.all() {
            for (claim, code) in document.fences(after: "graph") {
                let name = "sluice-docs-\(UUID().uuidString).json"
                let file = FileManager.default.temporaryDirectory.appending(path: name)
                try code.write(to: file, atomically: true, encoding: .utf8)
                defer { try? FileManager.default.removeItem(at: file) }
                let result = try Subprocess.run(["graph", "validate", file.path])
                if claim == "ok" {
                    #expect(result.code == 0, "\(document.path): \(result.errors)")
                } else {
                    #expect(result.errors.contains("error[\(claim)]"), "\(document.path): \(result.errors)")
                }
                count += 1
            }
        }
        #expect(count >= 4)
    }

    // MARK: - Code

    /// Fences that follow `<!-- same as: FILE -->` or `<!-- same as: FILE, PART -->` equal the file, or the lines between
    /// `// doc: PART` and `// doc end`.
    @Test func everyQuotedFileIsQuotedExactly() throws {
        var count = 0
        for document in try Document.all() {
            for (claim, code) in document.fences(after: "same as") {
                let parts = claim.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
                var text = try Document(parts[0]).text
                if parts.count > 1 {
                    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                    let begin = try #require(lines.firstIndex(of: "// doc: \(parts[1])"), "\(claim)")
                    let end = try #require(lines[begin...].firstIndex(of: "// doc end"), "\(claim)")
                    text = lines[(begin + 1)..<end].joined(separator: "\n") + "\n"
                }
                #expect(text == code, "\(document.path): the code after '\(claim)' is not that of the file")
                count += 1
            }
        }
        #expect(count >= 4)
    }

    /// Sources speak of the program, not of how it came about.
    @Test func sourcesNameNoMachineAndNoTracker() throws {
        for file in try StyleTests.files("Sources", "Benchmarks") {
            for (index, line) in file.lines.enumerated() {
                for match in line.matches(of: /(?:^|[\s"'(`])\/(?:work|home|tmp|var\/tmp|root|Users)\//) {
                    Issue.record("\(file.path):\(index + 1): path '\(match.0)'")
                }
                guard let comment = line.firstRange(of: "//") else { continue }
                let words = line[comment.lowerBound...]
                if words.contains(/(?i)\b(?:this|last|next|earlier|previous|later|other) session\b/)
                    || words.contains(/(?i)\bissue #?\d/) || words.contains(/(?:^|\s)#\d+\b/)
                    || words.contains(/\b(?:TODO|FIXME|XXX)\b/)
                {
                    Issue.record("\(file.path):\(index + 1): \(words)")
                }
            }
        }
    }

    @Test func documentsNameNoMachine() throws {
        for document in try Document.all() {
            for match in document.text.matches(of: /\/(?:work|home|var\/tmp|root|Users)\/[\w.]*/) {
                Issue.record("\(document.path): path '\(match.0)'")
            }
        }
    }
}
