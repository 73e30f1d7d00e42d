public import SluiceCore

/// One line of a node's history.
public struct TraceEntry: Sendable, Hashable {
    /// Nanoseconds since the ring was made.
    public var at: Int64
    public var what: String
}

/// The last 4096 events of a node, for deadlock dumps and `sluice run --trace`. Off until ``enable()``.
///
/// Payloads are not traced one by one: events, signals, controls and batches are.
public final class TraceRing: Sendable {
    public static let capacity = 4096

    private struct State {
        var enabled = false
        var entries = RingBuffer<TraceEntry>()
    }

    private let clock: any TimeSource
    private let origin: ContinuousClock.Instant
    private let state = Locked(State())

    public init(clock: any TimeSource) {
        self.clock = clock
        origin = clock.now
    }

    public func enable() { state.withLock { $0.enabled = true } }

    public func add(_ what: @autoclosure () -> String) {
        guard state.withLock({ $0.enabled }) else { return }
        let entry = TraceEntry(at: origin.duration(to: clock.now).nanoseconds, what: what())
        state.withLock { state in
            if state.entries.count == Self.capacity { _ = state.entries.popFirst() }
            state.entries.append(entry)
        }
    }

    public func entries() -> [TraceEntry] {
        state.withLock { state in
            var copy = state.entries
            var list: [TraceEntry] = []
            list.reserveCapacity(copy.count)
            while let entry = copy.popFirst() { list.append(entry) }
            return list
        }
    }
}
