import Glibc
import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceDataflow

/// Where the steps of a node ran.
private final class Places: Sendable {
    private let state = Locked<[String]>([])
    /// Steps that did not run on a thread that may block.
    var outside: [String] { state.withLock { $0 } }
    func note(_ step: String) { if !BlockingScope.isAllowed { state.withLock { $0.append(step) } } }
}

/// Notes where it is made, run, resumed and freed.
private actor Wanderer: FilterNode {
    static let descriptor = NodeDescriptor(
        kind: "wanderer", ports: [.input("in", .packet), .output("out", .packet)], mayBlock: true,
        summary: "Notes where it runs.")
    let input: InputPort<Token>
    let output: OutputPort<Token>
    private let places: Places

    init(context: NodeContext) throws(NodeFailure) {
        input = try context.input("in")
        output = try context.output("out")
        places = try context.resource(Places.self)
        places.note("init")
    }

    func process(_ token: Token) async throws(NodeFailure) {
        places.note("process")
        if token.value % 10 == 0 {
            try? await Task.sleep(for: .microseconds(100))
            places.note("after a sleep")
            await Task.yield()
            places.note("after a yield")
        }
        await output.send(token)
        places.note("after a send")
    }

    func drain() async throws(NodeFailure) { places.note("drain") }
    deinit { places.note("deinit") }
}

@Suite struct LaneTests {
    @Test func aNodeStaysOnItsLaneFromInitToDeinit() async throws {
        let places = Places()
        var harness = NodeHarness(Wanderer.self, input: "in", output: "out", setup: .oneSlot)
        harness.setup.resources = Resources().with(places)
        let items = try await harness.run((0..<1_000).map { .token($0) } + [.end])
        #expect(items.payloads().count == 1_000)
        #expect(places.outside == [])
    }

    @Test func onThePoolNothingMayBlock() async throws {
        let places = Places()
        var harness = NodeHarness(Wanderer.self, input: "in", output: "out")
        harness.setup.resources = Resources().with(places)
        harness.setup.dedicated = false
        _ = try await harness.run([.token(0), .end])
        #expect(places.outside.first == "init")
        var stuck = NodeHarness(ToyStuck.self, input: "in", output: "out")
        stuck.setup.dedicated = false
        do {
            _ = try await stuck.run([.token(0), .end])
            Issue.record("a blocking call was let through")
        } catch let failure as NodeFailure {
            #expect(failure.code == .internalInvariant)
        }
    }

    @Test func jobsOfALaneRunOneAtATime() async throws {
        let lane = try BlockingLane(name: "lane", pool: BlockingThreads(ceiling: 8))
        let inside = Counter()
        let overlaps = Counter()
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<50 {
                tasks.addTask(executorPreference: lane) {
                    for _ in 0..<20 {
                        if inside.add(1) != 1 {
                            overlaps.add(1)
                        }
                        inside.add(-1)
                        await Task.yield()
                    }
                }
            }
        }
        #expect(overlaps.value == 0)
    }
}

@Suite struct BlockingThreadsTests {
    @Test func threadsGrowToTheCeilingAndNoFurther() async throws {
        let pool = BlockingThreads(ceiling: 3)
        let running = Counter()
        let peak = Counter()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<30 {
                tasks.addTask {
                    try await pool.run { () throws(NodeFailure) in
                        let now = running.add(1)
                        peak.raise(to: now)
                        usleep(2_000)
                        running.add(-1)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(peak.value <= 3)
        #expect(pool.threadCount.peak <= 3)
        #expect(pool.threadCount.peak >= 2)
    }

    @Test func idleThreadsEnd() async {
        let pool = BlockingThreads(ceiling: 4, idleSeconds: 1)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4 { tasks.addTask { _ = try? await pool.run { () throws(NodeFailure) in usleep(1_000) } } }
        }
        #expect(await eventually { pool.threadCount.now == 0 })
        let value = try? await pool.run { () throws(NodeFailure) in 7 }
        #expect(value == 7, "and new ones come when needed")
    }

    @Test func failuresOfACallAreThrown() async {
        let failure = NodeFailure(.notFound, "nothing there")
        await #expect(throws: failure) {
            try await BlockingThreads.shared.run { () throws(NodeFailure) -> Int in throw failure }
        }
    }

    /// Sixteen producers on lanes over four threads, each blocking, each feeding its own small channel: a lane that
    /// waits for room holds no thread, so all of them finish.
    @Test(.timeLimit(.minutes(1))) func sixteenProducersFinishOnFourThreads() async throws {
        let pool = BlockingThreads(ceiling: 4)
        let total = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for index in 0..<16 {
                let channel = Channel<Token>(limits: ChannelLimits(span: nil, items: 2))
                tasks.addTask(executorPreference: try BlockingLane(name: "producer \(index)", pool: pool)) {
                    let output = OutputPort(
                        name: "out", core: NodeCore(name: "p"), channel: channel, batchLimit: 1)
                    for value in 0..<50 {
                        do throws(NodeFailure) { _ = try BlockingScope.run { usleep(100) } } catch { return -10_000 }
                        await output.send(Token(value))
                    }
                    channel.close()
                    return 0
                }
                tasks.addTask(executorPreference: try BlockingLane(name: "consumer \(index)", pool: pool)) {
                    let input = InputPort(name: "in", core: NodeCore(name: "c"), channel: channel, batchLimit: 1)
                    var count = 0
                    while case .payload = await input.next() { count += 1 }
                    return count
                }
            }
            return try await tasks.reduce(0, +)
        }
        #expect(total == 16 * 50)
        #expect(pool.threadCount.peak <= 4)
    }
}

@Suite struct ByteLinkTests {
    private final class Source: ByteSource {
        let closed = Locked(0)
        var size: Int64? { 0 }
        var isSeekable: Bool { true }
        var identity: String? { nil }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int { 0 }
        func interrupt() {}
        func resume() {}
        func close() { closed.withLock { $0 += 1 } }
    }

    @Test func theSourceIsHandedOverAndClosedOnce() {
        let link = ByteLink()
        let waker = Waker()
        link.attachConsumer(waker)
        let (first, second, third) = (Source(), Source(), Source())
        link.provide(first)
        #expect(waker.isSignalled)
        link.flush(to: Epoch(3))
        guard case .source(let held) = link.offer else {
            Issue.record("a flush leaves the source in place")
            return
        }
        #expect(held === first)
        #expect(link.level.epoch == Epoch(3))
        link.provide(second)
        #expect(first.closed.withLock { $0 } == 1)
        link.close()
        link.provide(third)
        #expect([second, third].map { $0.closed.withLock { $0 } } == [1, 1])
        #expect(link.level.closed)
    }
}
