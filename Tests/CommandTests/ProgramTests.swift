import Testing

/// The built program, run as users run it.
@Suite(.enabled(if: Subprocess.program != nil)) struct ProgramTests {
    @Test func helpListsCommandsOnStandardOutput() throws {
        let help = try Subprocess.run(["--help"])
        #expect(help.code == 0)
        #expect(help.errors.isEmpty)
        #expect(help.output.contains("usage: sluice <command>"))
        #expect(help.output.contains("\n  version "))
        #expect(try Subprocess.run(["help"]).output == help.output)
    }

    @Test func noCommandIsAUsageError() throws {
        let bare = try Subprocess.run([])
        #expect(bare.code == 2)
        #expect(bare.output.isEmpty)
        #expect(bare.errors.contains("usage: sluice"))
    }

    @Test func versionAsTextAndJSON() throws {
        let version = try Subprocess.run(["version"])
        #expect(version.code == 0)
        #expect(version.output.hasPrefix("sluice "))
        let json = try Subprocess.run(["version", "--json"])
        #expect(json.output.hasPrefix(#"{"sluice":""#))
    }

    @Test func mistypedCommandsAndOptionsExitWithTwo() throws {
        let command = try Subprocess.run(["verson"])
        #expect(command.code == 2)
        #expect(command.errors.contains("error[unknown-command]: unknown command 'verson'"))
        #expect(command.errors.contains("did you mean 'version'?"))
        let option = try Subprocess.run(["version", "--jsn"])
        #expect(option.code == 2)
        #expect(option.errors.contains("did you mean '--json'?"))
        #expect(option.output.isEmpty)
    }

    @Test func everyListedCommandExplainsItself() throws {
        let overview = try Subprocess.run(["help"]).output
        let table = overview.split(separator: "\n").drop { $0 != "commands:" }.dropFirst()
        let names = table.prefix { $0.hasPrefix("  ") }.compactMap { line -> String? in
            // A wrapped summary continues at the column of summaries.
            guard !line.hasPrefix("    ") else { return nil }
            return String(line.dropFirst(2).split(separator: "  ").first ?? "")
        }
        #expect(names.count >= 2)
        for name in names {
            let words = name.split(separator: " ").map(String.init)
            let usage = try Subprocess.run(words + ["--help"])
            #expect(usage.code == 0, "\(name)")
            #expect(usage.output.hasPrefix("usage: sluice \(name)"), "\(name)")
            #expect(usage.errors.isEmpty, "\(name)")
        }
    }
}
