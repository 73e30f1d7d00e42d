/// A piece of work that is measured: its inputs are built before, its result is checked inside.
struct NodeBenchmark: Sendable {
    let name: String
    /// What the figures are divided by.
    let items: Int
    /// Bytes that one run moves; nil where the notion makes no sense. Asked for after a run, when inputs are there.
    let bytes: @Sendable () -> Int?
    /// Links an item passes; figures "per hop" are divided by it too.
    let hops: Int
    /// Moves `items` so many times in one run, and returns how many came out where that is not checked inside.
    let body: @Sendable (_ times: Int) async throws -> Int?

    init(
        name: String, items: Int, bytes: @escaping @autoclosure @Sendable () -> Int? = nil, hops: Int = 1,
        body: @escaping @Sendable (_ times: Int) async throws -> Int?
    ) {
        self.name = name
        self.items = items
        self.bytes = bytes
        self.hops = hops
        self.body = body
    }

    /// A benchmark whose run is repeated whole, and which checks what comes out by itself.
    init(
        name: String, items: Int, bytes: @escaping @autoclosure @Sendable () -> Int? = nil, hops: Int = 1,
        once: @escaping @Sendable () async throws -> Void
    ) {
        self.init(name: name, items: items, bytes: bytes(), hops: hops) { times in
            for _ in 0..<times { try await once() }
            return nil
        }
    }
}

/// Every benchmark, by folder of what it measures.
enum Benchmarks {
    static var all: [NodeBenchmark] {
        channelBenchmarks + chainBenchmarks + wakeUpBenchmarks + nodeBenchmarks + unlistedNodeBenchmarks
            + mediaBenchmarks + lineBenchmarks + bridgeBenchmarks + textBenchmarks
    }
}
