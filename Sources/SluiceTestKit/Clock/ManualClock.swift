public import SluiceCore

/// A clock that stands still until a test moves it.
///
/// Sleepers are resumed in the order of their deadlines, those of one deadline in the order they fell asleep, and
/// each sees ``now`` at its own deadline or later.
public final class ManualClock: TimeSource {
    private struct Sleeper {
        var id: UInt64
        var deadline: ContinuousClock.Instant
        var continuation: UnsafeContinuation<Bool, Never>
    }

    private struct State {
        var now: ContinuousClock.Instant
        var nextID: UInt64 = 0
        var sleepers: [Sleeper] = []
        /// Sleeps that were cancelled before they had fallen asleep.
        var cancelledEarly: Set<UInt64> = []
    }

    private let state: Locked<State>

    public init() { state = Locked(State(now: ContinuousClock.now)) }

    public var now: ContinuousClock.Instant { state.withLock { $0.now } }

    /// How many tasks sleep on this clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let slept = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let early: Bool? = state.withLock { state in
                    if state.cancelledEarly.remove(id) != nil { return false }
                    if deadline <= state.now { return true }
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    return nil
                }
                if let early { continuation.resume(returning: early) }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelledEarly.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(returning: false)
        }
        state.withLock { _ = $0.cancelledEarly.remove(id) }
        if !slept { throw CancellationError() }
    }

    /// Moves the clock and resumes whoever's deadline has come. Returns before they have run.
    public func advance(by duration: Duration) {
        let target = now + max(.zero, duration)
        while true {
            let due: Sleeper? = state.withLock { state in
                let next = state.sleepers.indices
                    .filter { state.sleepers[$0].deadline <= target }
                    .min {
                        (state.sleepers[$0].deadline, state.sleepers[$0].id) < (
                            state.sleepers[$1].deadline, state.sleepers[$1].id
                        )
                    }
                guard let next else {
                    state.now = max(state.now, target)
                    return nil
                }
                let sleeper = state.sleepers.remove(at: next)
                state.now = max(state.now, sleeper.deadline)
                return sleeper
            }
            guard let due else { return }
            due.continuation.resume(returning: true)
        }
    }

    /// Returns when at least `count` tasks sleep on this clock; false when ten seconds of real time have passed first.
    @discardableResult
    public func waitForSleepers(_ count: Int) async -> Bool { await eventually { self.sleeperCount >= count } }
}
