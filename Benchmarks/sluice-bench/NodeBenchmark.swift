/// A piece of work that is measured: its inputs are built before, its result is checked inside.
struct NodeBenchmark: Sendable {
    let name: String
    /// What the figures are divided by.
    let items: Int
    /// Bytes that one run moves; nil where the notion makes no sense. Asked for after a run, when inputs are there.
    let bytes: @Sendable () -> Int?
    /// Links an item passes; figures "per hop" are divided by it too.
    let hops: Int
    let body: @Sendable () async throws -> Void

    init(
        name: String, items: Int, bytes: @escaping @autoclosure @Sendable () -> Int? = nil, hops: Int = 1,
        body: @escaping @Sendable () async throws -> Void
    ) {
        self.name = name
        self.items = items
        self.bytes = bytes
        self.hops = hops
        self.body = body
    }
}

/// Every benchmark, by folder of what it measures.
enum Benchmarks {
    static var all: [NodeBenchmark] {
        channelBenchmarks + chainBenchmarks + nodeBenchmarks + mediaBenchmarks + lineBenchmarks
    }
}
