import Dispatch
import Glibc
import SluiceCore

/// The command line of `sluice-bench`.
struct BenchmarkRunner {
    static let usage = """
        usage: sluice-bench [TEXT…] [--runs N] [--json] [--list]   those whose name contains a TEXT; all without
               sluice-bench --once NAME     one run without warm-up, for instruction counts
               sluice-bench --empty         start-up alone, to be subtracted from them
        """

    let benchmarks: [NodeBenchmark]

    func run(_ arguments: [String]) -> Int32 {
        var (filters, runs, json): ([String], Int, Bool) = ([], 9, false)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--list":
                for benchmark in benchmarks { print(benchmark.name, benchmark.items, benchmark.hops) }
                return 0
            case "--empty":
                return wait {} ? 0 : 1
            case "--json": json = true
            case "--filter": filters += rest.popFirst().map { [$0] } ?? []
            case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
            case "--once":
                guard let name = rest.popFirst(), let one = benchmarks.first(where: { $0.name == name }) else {
                    return fail("no such benchmark; --list prints all")
                }
                return wait(one.body) ? 0 : 1
            case _ where !argument.hasPrefix("-"): filters.append(argument)
            default: return fail(Self.usage)
            }
        }
        let chosen = benchmarks.filter { benchmark in
            filters.isEmpty || filters.contains { benchmark.name.contains($0) }
        }
        guard !chosen.isEmpty else { return fail("no such benchmark; --list prints all") }
        var measured: [Measurement] = []
        for benchmark in chosen {
            guard let result = measure(benchmark, runs: runs) else { return 1 }
            measured.append(result)
            if !json { print(result.line) }
        }
        if json { print("[\n" + measured.map { "  " + $0.json }.joined(separator: ",\n") + "\n]") }
        return 0
    }

    private func measure(_ benchmark: NodeBenchmark, runs: Int) -> Measurement? {
        for _ in 0..<2 where !wait(benchmark.body) { return nil }
        var times: [Double] = []
        for _ in 0..<runs {
            let begin = ContinuousClock.now
            guard wait(benchmark.body) else { return nil }
            times.append(Double(begin.duration(to: .now).nanoseconds) / Double(benchmark.items))
        }
        times.sort()
        let median = times[times.count / 2] * Double(benchmark.items) / 1e9
        return Measurement(
            name: benchmark.name, items: benchmark.items, hops: benchmark.hops, nanoseconds: times,
            bytesPerSecond: benchmark.bytes().map { Double($0) / median },
            peakResident: Measurement.residentPeak)
    }

    /// Runs asynchronous work from the synchronous main; false and a message when it throws.
    private func wait(_ body: @escaping @Sendable () async throws -> Void) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let problem = Locked<String?>(nil)
        Task.detached {
            do { try await body() } catch { problem.withLock { $0 = "\(error)" } }
            done.signal()
        }
        done.wait()
        guard let problem = problem.withLock({ $0 }) else { return true }
        return fail(problem) == 0
    }

    private func fail(_ message: String) -> Int32 {
        let line = message + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
        return 2
    }
}
