import SluiceCommand
import Testing

@Suite struct CommandParserTests {
    static let spec = CommandSpec(
        "convert", "Converts.",
        positionals: [
            PositionalSpec("input", .atLeastOne, "What is read."),
            PositionalSpec("output", .one, "What is written."),
        ],
        options: [
            .flag("fast", short: "f", "Skips checks."),
            .value("seek", short: "s", "time", .duration, default: "1.5s", "Where to begin."),
            .value("size", "bytes", .byteSize, "Bound."),
            .value("port", "number", .integer(0...65_535), default: "8080", "Port."),
            .value("shape", "name", .choice(["renditions", "muxed"]), "Layout."),
            .repeated("set", "key=value", .keyValue, "Graph option."),
        ],
        takesRest: true)

    func parse(_ words: String...) throws(UsageError) -> ParsedArguments {
        try CommandParser.parse(words, spec: Self.spec)
    }

    func failure(_ words: String...) -> UsageError? {
        do {
            _ = try CommandParser.parse(words, spec: Self.spec)
            return nil
        } catch {
            return error
        }
    }

    @Test func readsEverySpelling() throws {
        let parsed = try parse(
            "a.mkv", "-f", "--seek=2m", "b.mkv", "--size", "10MiB", "--set", "a=1", "--set=b=x=y", "out.mp4", "--json",
            "--", "--seek", "x")
        #expect(parsed.flag("fast"))
        #expect(parsed.flag("json"))
        #expect(!parsed.flag("help"))
        #expect(parsed.duration("seek") == .seconds(120))
        #expect(parsed.byteSize("size") == 10_485_760)
        #expect(parsed.integer("port") == 8080, "the default")
        #expect(parsed.string("shape") == nil)
        #expect(parsed.pairs("set").map(\.key) == ["a", "b"])
        #expect(parsed.pairs("set").map(\.value) == ["1", "x=y"])
        #expect(parsed.arguments("input") == ["a.mkv", "b.mkv"])
        #expect(parsed.argument("output") == "out.mp4")
        #expect(parsed.rest == ["--seek", "x"])
    }

    @Test func valuesMayBeginWithADashButNotBeOptions() throws {
        #expect(try parse("a", "b", "--set", "-k=-5").pairs("set").first?.value == "-5")
        #expect(try parse("-", "b").arguments("input") == ["-"])
        #expect(failure("a", "b", "--seek", "--fast")?.code == .missingValue)
        #expect(failure("a", "b", "--seek")?.code == .missingValue)
    }

    @Test func saysWhatIsWrong() {
        #expect(failure("a", "b", "--sek", "1")?.code == .unknownOption)
        #expect(failure("a", "b", "--sek", "1")?.hint == "did you mean '--seek'?")
        #expect(failure("a", "b", "-x")?.code == .unknownOption)
        #expect(failure("a", "b", "--fast=yes")?.code == .unexpectedValue)
        #expect(failure("a", "b", "--port", "65536")?.code == .invalidValue)
        #expect(failure("a", "b", "--shape", "muxd")?.hint == "did you mean 'muxed'?")
        #expect(failure("a", "b", "--set", "=1")?.code == .invalidValue)
        #expect(failure("a", "b", "--seek", "1s", "-s", "2s")?.code == .repeatedOption)
        #expect(failure("a")?.code == .missingArgument)
        #expect(failure()?.message == "missing <input>: What is read.")
    }

    @Test func helpNeedsNoArguments() throws {
        #expect(try parse("--help").flag("help"))
        #expect(try parse("-h").flag("help"))
    }

    @Test func extraWordsAreRefused() {
        let bare = CommandSpec("version", "Prints the version.")
        #expect(throws: UsageError.self) { try CommandParser.parse(["x"], spec: bare) }
        #expect(throws: UsageError.self) { try CommandParser.parse(["--", "--json"], spec: bare) }
    }

    @Test(arguments: [
        ("250ms", 0.25), ("4s", 4), ("1.5m", 90), ("2h", 7200), ("0", 0), ("12", 12), ("100us", 0.0001),
    ])
    func durations(text: String, seconds: Double) {
        #expect(ValueText.duration(text) == .nanoseconds(Int64(seconds * 1e9)))
    }

    @Test(arguments: ["", "s", "-1s", "1e3", "1 s", "1d", "nan", "inf", "999999999h", "1.2.3s", "٣s"])
    func notDurations(text: String) {
        #expect(ValueText.duration(text) == nil)
    }

    @Test(arguments: [
        ("0", 0), ("4096", 4096), ("1KiB", 1024), ("500kB", 500_000), ("1.5GiB", 1_610_612_736), ("7B", 7),
    ])
    func byteSizes(text: String, bytes: Int) {
        #expect(ValueText.byteSize(text) == bytes)
    }

    @Test(arguments: ["", "MiB", "-1", "99999999TiB", "1mib", "0x10"])
    func notByteSizes(text: String) {
        #expect(ValueText.byteSize(text) == nil)
    }

    @Test func usageTextComesFromTheDeclaration() {
        let usage = Self.spec.usage(program: "tool")
        #expect(usage.hasPrefix("usage: tool convert [options] <input>… <output> [-- …]\n\nConverts.\n"))
        #expect(usage.contains("  -s, --seek <time>"))
        #expect(usage.contains("Where to begin. (default 1.5s)"))
        #expect(usage.contains("renditions | muxed"))
        #expect(usage.contains("-h, --help"))
        #expect(usage.split(separator: "\n").allSatisfy { $0.count <= 100 && $0.last != " " })
    }
}
