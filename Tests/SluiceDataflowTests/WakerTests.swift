import Glibc
import SluiceCore
import SluiceTestKit
import Synchronization
import Testing

@testable import SluiceDataflow

@Suite struct WakerTests {
    @Test func aSignalBeforeTheWaitIsKeptAndSeveralMerge() async {
        let waker = Waker()
        waker.signal()
        waker.signal()
        #expect(waker.isSignalled)
        await waker.wait()
        #expect(!waker.isSignalled)
    }

    @Test func aWaitingTaskIsResumed() async {
        let waker = Waker()
        let woken = Locked(false)
        let task = Task {
            await waker.wait()
            woken.withLock { $0 = true }
        }
        waker.signal()
        await task.value
        #expect(woken.withLock { $0 })
    }

    /// Two threads in lockstep over one counter each: a single lost signal stops the test.
    @Test(.timeLimit(.minutes(5))) func pingPongLosesNoSignal() async {
        let (there, back) = (Waker(), Waker())
        let sent = Counter()
        let answered = Counter()
        let rounds = Scale.count(debug: 20_000, full: 200_000)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for round in 1...rounds {
                    sent.set(round)
                    there.signal()
                    while answered.value < round { await back.wait() }
                }
            }
            tasks.addTask {
                for round in 1...rounds {
                    while sent.value < round { await there.wait() }
                    answered.set(round)
                    back.signal()
                }
            }
        }
        #expect(answered.value == rounds)
    }

    /// Many signallers of one waiter: after the last of them the waiter has seen all.
    @Test(.timeLimit(.minutes(1))) func manySignallersLoseNoSignal() async {
        let waker = Waker()
        let count = Counter()
        let each = Scale.count(debug: 20_000, full: 200_000)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<each {
                        count.add(1)
                        waker.signal()
                    }
                }
            }
            tasks.addTask { while count.value < 8 * each { await waker.wait() } }
        }
        #expect(count.value == 8 * each)
    }
}

/// Four stages, several million items, real threads: the acceptance test of the channels.
@Suite struct LostWakeUpTests {
    /// With SLUICE_FULL=1 ten million items; else as many as a debug build moves in some seconds. The same line is the
    /// benchmark `four-stages`, for release builds.
    @Test(.timeLimit(.minutes(30)), arguments: [1, 32]) func fourStagesLoseNothing(batch: Int) async {
        let total = Scale.count(debug: 100_000, full: 10_000_000)
        let arrived = await FourStageLine.run(total: total, batch: batch)
        #expect(arrived == total, "every item, in order")
    }
}

/// How much a stress test does.
enum Scale {
    static func count(debug: Int, full: Int) -> Int {
        guard let wish = getenv("SLUICE_FULL"), String(cString: wish) == "1" else { return debug }
        return full
    }
}

/// An atomic number that tasks share.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .acquiring) }
    func set(_ value: Int) { number.store(value, ordering: .releasing) }
    /// Returns the new value.
    @discardableResult
    func add(_ change: Int) -> Int { number.wrappingAdd(change, ordering: .acquiringAndReleasing).newValue }
    func raise(to value: Int) { number.max(value, ordering: .relaxed) }
}
