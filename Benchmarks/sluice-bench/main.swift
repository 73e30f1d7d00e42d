import Glibc
import SluiceCore
import SluiceDataflow
import SluiceTestKit

// A synchronous main, so that callgrind can run it.
exit(BenchmarkRunner(benchmarks: Benchmarks.all).run(Array(CommandLine.arguments.dropFirst())))
