import Glibc
import SluiceCommand

/// `sluice bench`: becomes the benchmark program that was built beside this one.
struct BenchCommand: Command {
    static let spec = CommandSpec(
        "bench", "Runs the benchmarks: sluice-bench, where it was built beside this program.",
        positionals: [PositionalSpec("filter", .any, "Runs only benchmarks whose name contains it.")],
        options: [
            .value("runs", "N", .integer(1...1_000_000), "Runs that are measured. (default 9)"),
            .flag("list", "Lists name, items and hops of each."),
            .value("once", "NAME", .string, "One run without warm-up, for counting tools."),
            .value("times", "N", .integer(1...1_000_000), "With --once: N times the items in the one run."),
            .flag("empty", "Starts and ends, to be subtracted."),
        ],
        discussion: "Words after '--' are handed to sluice-bench as they are.", takesRest: true)

    func run(_ context: CommandContext) async throws -> ExitCode {
        guard let folder = Self.ownFolder() else {
            throw Diagnostic(.error, "not-found", "cannot tell where this program is", file: "sluice")
        }
        let path = folder + "/sluice-bench"
        guard access(path, X_OK) == 0 else {
            throw Diagnostic(
                .error, "not-found", "no program '\(path)'", file: "sluice",
                hint: "build it with 'swift build -c release --product sluice-bench'")
        }
        var words = [path] + context.arguments.arguments("filter")
        for option in Self.spec.options {
            if option.isFlag {
                if context.arguments.flag(option.name) { words.append("--\(option.name)") }
            } else if let value = context.arguments.string(option.name) {
                words += ["--\(option.name)", value]
            }
        }
        if context.wantsJSON { words.append("--json") }
        words += context.arguments.rest
        // What this program blocks for its own signal thread would stay blocked in the next one.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        let arguments = words.map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        execv(path, arguments + [nil])
        throw Diagnostic(
            .error, "failed", "'\(path)' cannot be run: \(String(cString: strerror(errno)))", file: "sluice")
    }

    private static func ownFolder() -> String? {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? -1
        }
        guard count > 0, let slash = buffer[..<count].lastIndex(of: 0x2F) else { return nil }
        return String(decoding: buffer[..<slash], as: UTF8.self)
    }
}
