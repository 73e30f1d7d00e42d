import Foundation
import SluiceGraph
import Testing

/// Processes with too little to run, and words that cannot be read.
@Suite(.enabled(if: Sample.hasTools)) struct StartTests {
    @Test(arguments: [4, 5, 6, 8, 10]) func tooFewDescriptorsAreExhaustion(_ limit: Int) throws {
        let result = try Subprocess.shell("ulimit -n \(limit); exec $S probe \"$1\"", try Sample.movie.get())
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("sluice: exhausted: "), "\(result.errors)")
    }

    @Test(.enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")))
    func tooFewThreadsAreExhaustion() throws {
        let result = try Subprocess.shell(
            "cp $S \"$1/sluice\"; chmod 755 \"$1\" \"$1/sluice\"; ulimit -u 3; exec timeout 20 setpriv --reuid 65533"
                + " --regid 65534 --clear-groups \"$1/sluice\" version", Sample.folder.path)
        // Where the program's libraries are not readable for others there is nothing to see.
        guard !result.errors.contains("cannot open shared object") else { return }
        #expect(result.code == 1)
        #expect(result.errors.hasPrefix("sluice: exhausted: "), "\(result.errors)")
    }

    @Test func namesThatAreNotUTF8AreSaidToBe() throws {
        let result = try Subprocess.shell("$S probe $'b\\xff.mkv'")
        #expect(result.code == 2)
        #expect(result.errors.contains("argument 2 is not UTF-8: "))
    }

    @Test(arguments: ["TERM", "INT", "HUP"]) func signalsEndAServerInOrder(_ signal: String) throws {
        let result = try Subprocess.shell(
            """
            coproc $S serve --port 0 --graphs "$2" "$1"; server=$COPROC_PID; read -u ${COPROC[0]} line
            kill -\(signal) $server; wait $server; echo $?
            """, try Sample.movie.get(), Subprocess.packageRoot.appending(path: "Graphs").path)
        #expect(result.output == "0\n", "\(result.errors)")
    }

    @Test func emptyNamesAreUsageErrors() throws {
        let movie = try Sample.movie.get()
        for words in [["package", movie, ""], ["probe", ""], ["run", movie, movie, "--record", ""]] {
            #expect(try Subprocess.run(words).code == 2)
        }
    }

    @Test func controlCharactersNeverReachTheTerminal() throws {
        let name = "\u{1b}]0;x\u{7}\u{202e}\u{9b}\nsluice: fine"
        for words in [["probe", name], ["graph", "validate", name], [name], ["run", name, name]] {
            let result = try Subprocess.run(words)
            #expect(result.code != 0)
            let harmful = (result.errors + result.output).unicodeScalars.filter {
                ($0.value < 0x20 && $0 != "\n") || (0x7f...0x9f).contains($0.value) || $0.value == 0x202e
            }
            #expect(harmful.isEmpty, "\(result.errors)")
            #expect(result.errors.contains("\\u{1b}]0;x\\u{7}\\u{202e}\\u{9b}\\nsluice"))
        }
    }

    @Test func failuresNameTheSourceAndItsSize() throws {
        let movie = try Data(contentsOf: URL(fileURLWithPath: Sample.movie.get()))
        let files = [
            ("empty.mkv", Data(), "(empty file)"), ("one.mkv", Data([0x1A]), "(1 byte)"),
            ("cut.mkv", movie.prefix(100), "(100 bytes)"), ("zero.mkv", Data(count: 5_000), "(5000 bytes)"),
        ]
        for (name, bytes, size) in files {
            let path = Sample.folder.appending(path: name).path
            try bytes.write(to: URL(fileURLWithPath: path))
            let result = try Subprocess.run(["probe", path])
            #expect(result.code == 1)
            #expect(result.errors.contains("\(path) \(size): "), "\(result.errors)")
            #expect(!result.errors.contains("first 0 bytes"))
        }
    }

    @Test func aGraphFileThatCannotBeReadIsUnreadable() throws {
        for path in [Sample.folder.path, "/nonexistent/g.json"] {
            let run = try Subprocess.run(["run", path, try Sample.movie.get()])
            #expect(run.code == 1)
            #expect(run.errors.hasPrefix("error[unreadable]: graph file '\(path)' cannot be read: "))
            #expect(try Subprocess.run(["graph", "validate", path]).code == 1)
        }
    }

    @Test func optionsThatEveryRunMustSetAreWarnedOf() throws {
        let text = try String(contentsOfFile: Sample.probeGraph.get(), encoding: .utf8)
        let path = try Sample.write("needy.json", text.replacing(", \"default\": \"MD5\"", with: ""))
        let result = try Subprocess.run(["graph", "validate", path])
        #expect(result.code == 0)
        #expect(result.errors.contains("warning[unresolved-reference]: option 'hash' has no default"))
        let huge = try Sample.write(
            "huge.json",
            text.replacing("\"nodes\":", with: "\"limits\": {\"memory\": \"99999999999999999999GiB\"}, \"nodes\":"))
        #expect(try Subprocess.run(["graph", "validate", huge]).errors.contains("is too large; expected at most"))
        let option = try Subprocess.run(["probe", "x", "--probe-size", "99999999999999999999GiB"])
        #expect(option.errors.contains("must be at most 2^60 bytes"))
    }

    @Test func aRefusedConnectionIsToldWithinSeconds() throws {
        let begin = ContinuousClock.now
        let result = try Subprocess.run(["probe", "http://127.0.0.1:1/x"])
        #expect(result.code == 1)
        #expect(result.errors.contains("http://127.0.0.1:1/x"))
        #expect(ContinuousClock.now - begin < .seconds(5))
    }
}
