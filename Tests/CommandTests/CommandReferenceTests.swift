import Foundation
import Testing

/// `docs/cli.md` beside what the program says of itself.
@Suite(.enabled(if: Subprocess.program != nil)) struct CommandReferenceTests {
    /// The text below `### sluice NAME`, up to the next heading.
    private static func section(_ command: String) throws -> Substring {
        let text = try Document("docs/cli.md").text
        let begin = try #require(text.firstRange(of: "\n### sluice \(command)\n"), "no section '\(command)'")
        let rest = text[begin.upperBound...]
        return rest[..<(rest.firstRange(of: "\n##")?.lowerBound ?? rest.endIndex)]
    }

    private static func commands() throws -> [String] {
        try Subprocess.run(["help"]).output.matches(of: #/(?m)^  ((?:graph )?[a-z]+) {2}/#).map { String($0.1) }
    }

    @Test func everyOptionOfEveryCommandIsDescribed() throws {
        let commands = try Self.commands()
        #expect(commands.count >= 15 && commands.contains("graph validate"))
        var options = 0
        for command in commands {
            let usage = try Subprocess.run(["help"] + command.split(separator: " ").map(String.init)).output
            let section = try Self.section(command)
            for match in usage.matches(of: /(?m)^ +(?:-[a-z], )?--([a-z-]+)/)
            where match.1 != "json" && match.1 != "help" {
                let isDescribed = section.contains("--\(match.1)")
                #expect(isDescribed, "docs/cli.md, 'sluice \(command)': --\(match.1)")
                options += 1
            }
        }
        #expect(options > 35)
    }

    /// Options that a section names beyond those of the command are somebody's old ones.
    @Test func noSectionNamesAnOptionThatIsNotThere() throws {
        for command in try Self.commands() {
            let usage = try Subprocess.run(["help"] + command.split(separator: " ").map(String.init)).output
            for match in try Self.section(command).matches(of: /`(--[a-z-]+)/) {
                #expect(usage.contains(match.1), "docs/cli.md, 'sluice \(command)': \(match.1)")
            }
        }
    }

    /// The list of kinds, and what one of them takes, word for word.
    @Test func theKindsOfNodeAreThoseOfTheRegistry() throws {
        let section = try Self.section("graph nodes")
        for words in [["graph", "nodes"], ["graph", "nodes", "demuxer"]] {
            let printed = try Subprocess.run(words).output
            #expect(section.contains(printed), "docs/cli.md, 'sluice \(words.joined(separator: " "))': \(printed)")
        }
        #expect(try Subprocess.run(["graph", "nodes"]).output.contains("\nsegment-publisher  sink "))
    }

    /// The compiler's place is stated once, for all scripts.
    @Test func onlyOneFileSaysWhereTheCompilerIs() throws {
        var found: [String] = []
        for folder in [".", ".ci", "Benchmarks", "Benchmarks/peers", "docs"] {
            let path = Subprocess.packageRoot.appending(path: folder).path
            for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
                let file = Subprocess.packageRoot.appending(path: "\(folder)/\(name)")
                guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
                if text.contains("/opt/swift/") { found.append("\(folder)/\(name)") }
            }
        }
        #expect(found == [".ci/swift"])
    }

    /// A `~` that the shell left alone is the home folder all the same.
    @Test func makeRunExpandsTheHomeFolder() throws {
        let makefile = try Document("Makefile").text
        let recipe = try #require(makefile.firstMatch(of: /(?m)^\t@(file=.*); exec .build\/release\/sluice serve/)).1
        let script = recipe.replacing("$(DEMO)", with: "demo.mkv").replacing("$$", with: "$")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", script + "; printf %s \"$file\""]
        process.environment = ["HOME": "/homes/one", "SLUICE_FILE": "~/a $HOME \"film\".mkv"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        #expect(
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                == "/homes/one/a $HOME \"film\".mkv")
        process.waitUntilExit()
    }
}
