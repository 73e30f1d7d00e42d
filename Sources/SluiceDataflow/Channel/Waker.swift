import SluiceCore
import Synchronization

/// The one thing a node waits on: every input, output and the control inbox signal it.
///
/// It is a latch: a signal that comes while nobody waits makes the next ``wait()`` return at once. Several signals
/// merge into one, and a wait may return without a reason: callers look again at everything they wait for.
/// At most one task waits at a time.
public final class Waker: Sendable {
    private enum State {
        case idle
        case signalled
        case waiting(UnsafeContinuation<Void, Never>)
    }

    private let state: Locked<State>
    /// Set from a signal until its wait, so that repeated signals cost one exchange and no lock.
    private let latched = Atomic<Bool>(false)

    public init() { state = Locked(.idle) }

    /// Whether the next ``wait()`` would return at once.
    var isSignalled: Bool { latched.load(ordering: .acquiring) }

    /// Wakes the waiting task or makes the next wait return at once. Any thread.
    public func signal() {
        // Both sides exchange: whoever finds the latch set is ordered before the waiter that clears it.
        if latched.exchange(true, ordering: .acquiringAndReleasing) { return }
        let waiting: UnsafeContinuation<Void, Never>? = state.withLock { state in
            if case .waiting(let continuation) = state {
                clear(&state)
                return continuation
            }
            state = .signalled
            return nil
        }
        waiting?.resume()
    }

    /// Suspends until the next signal, or not at all if one is latched.
    public func wait() async {
        if consumeLatch() { return }
        await withUnsafeContinuation { continuation in
            let ready: Bool = state.withLock { state in
                if case .signalled = state {
                    clear(&state)
                    return true
                }
                state = .waiting(continuation)
                return false
            }
            if ready { continuation.resume() }
        }
    }

    private func consumeLatch() -> Bool {
        state.withLock { state in
            guard case .signalled = state else { return false }
            clear(&state)
            return true
        }
    }

    private func clear(_ state: inout State) {
        state = .idle
        _ = latched.exchange(false, ordering: .acquiringAndReleasing)
    }
}
