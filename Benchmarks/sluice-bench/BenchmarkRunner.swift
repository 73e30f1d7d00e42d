import Dispatch
import Glibc
import SluiceCore

/// The command line of `sluice-bench`.
struct BenchmarkRunner {
    static let usage = """
        usage: sluice-bench [TEXT…] [--runs N] [--json] [--list]   those whose name contains a TEXT; all without
               sluice-bench --once NAME [--times N]
                                            one run without warm-up of N times the items, for counting tools
               sluice-bench --empty         start-up alone, to be subtracted from them
        """

    let benchmarks: [NodeBenchmark]

    func run(_ arguments: [String]) -> Int32 {
        var (filters, runs, times, json): ([String], Int, Int, Bool) = ([], 9, 1, false)
        var once: String?
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--list":
                for benchmark in benchmarks { print(benchmark.name, benchmark.items, benchmark.hops) }
                return 0
            case "--empty":
                return wait { nil }.failure.map(fail) ?? 0
            case "--json": json = true
            case "--filter": filters += rest.popFirst().map { [$0] } ?? []
            case "--runs": runs = max(1, rest.popFirst().flatMap(Int.init) ?? runs)
            case "--times": times = min(max(1, rest.popFirst().flatMap(Int.init) ?? times), 1_000_000)
            case "--once":
                guard let name = rest.popFirst() else { return fail(Self.usage) }
                once = name
            case _ where !argument.hasPrefix("-"): filters.append(argument)
            default: return fail(Self.usage)
            }
        }
        if let once {
            guard let one = benchmarks.first(where: { $0.name == once }) else {
                return fail("no such benchmark; --list prints all")
            }
            let times = times
            return wait { try await one.body(times) }.failure.map(fail) ?? 0
        }
        let chosen = benchmarks.filter { benchmark in
            filters.isEmpty || filters.contains { benchmark.name.contains($0) }
        }
        guard !chosen.isEmpty else { return fail("no such benchmark; --list prints all") }
        var measured: [Measurement] = []
        for benchmark in chosen {
            let result = measure(benchmark, runs: runs)
            if let missing = result.failure as? NodeFailure, missing.code == .missingResource {
                // A kind that no one wrote a benchmark for, and that the host has to give something.
                _ = fail("\(benchmark.name)  not run: \(missing.message)")
                continue
            }
            guard case .success(let figures) = result else { return result.failure.map(fail) ?? 1 }
            measured.append(figures)
            if !json { print(figures.line) }
        }
        if json { print("[\n" + measured.map { "  " + $0.json }.joined(separator: ",\n") + "\n]") }
        return 0
    }

    private func measure(_ benchmark: NodeBenchmark, runs: Int) -> Result<Measurement, any Error> {
        Result {
            var out: Int?
            for _ in 0..<2 { out = try wait { try await benchmark.body(1) }.get() }
            var times: [Double] = []
            for _ in 0..<runs {
                let begin = ContinuousClock.now
                _ = try wait { try await benchmark.body(1) }.get()
                times.append(Double(begin.duration(to: .now).nanoseconds) / Double(benchmark.items))
            }
            times.sort()
            let median = times[times.count / 2] * Double(benchmark.items) / 1e9
            return Measurement(
                name: benchmark.name, items: benchmark.items, hops: benchmark.hops, nanoseconds: times, out: out,
                bytesPerSecond: benchmark.bytes().map { Double($0) / median },
                peakResident: Measurement.residentPeak)
        }
    }

    /// Runs asynchronous work from the synchronous main.
    private func wait(_ body: @escaping @Sendable () async throws -> Int?) -> Result<Int?, any Error> {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Result<Int?, any Error>>(.success(nil))
        Task.detached {
            do {
                let out = try await body()
                result.withLock { $0 = .success(out) }
            } catch {
                result.withLock { $0 = .failure(error) }
            }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }

    private func fail(_ error: any Error) -> Int32 { fail("\(error)") }

    private func fail(_ message: String) -> Int32 {
        let line = message + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
        return 2
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
