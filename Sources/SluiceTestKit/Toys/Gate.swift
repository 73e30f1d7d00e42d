import SluiceCore
public import SluiceDataflow

/// Something that nodes of a test stop at until the test opens it.
public final class Gate: Sendable {
    private struct State {
        var open: Bool
        var nextID: UInt64 = 0
        var waiting: [UInt64: UnsafeContinuation<Void, Never>] = [:]
        var wakers: [Waker] = []
        var arrivals = 0
    }

    private let state: Locked<State>

    public init(open: Bool = false) { state = Locked(State(open: open)) }

    public var isOpen: Bool { state.withLock { $0.open } }
    /// How often somebody came to the gate, open or not.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    public func open() {
        let (waiting, wakers) = state.withLock { state in
            state.open = true
            defer { state.waiting = [:] }
            return (state.waiting.values, state.wakers)
        }
        for continuation in waiting { continuation.resume() }
        for waker in wakers { waker.signal() }
    }

    public func close() { state.withLock { $0.open = false } }

    /// Whether the gate is open; if not, `waker` is signalled when it opens.
    public func check(_ waker: Waker) -> Bool {
        state.withLock { state in
            state.arrivals += 1
            if !state.open, !state.wakers.contains(where: { $0 === waker }) { state.wakers.append(waker) }
            return state.open
        }
    }

    /// Returns when the gate is open or the task is cancelled.
    public func pass() async {
        let id = state.withLock { state in
            state.arrivals += 1
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let free = state.withLock { state in
                    if state.open || Task.isCancelled { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if free { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
            waiting?.resume()
        }
    }
}

/// Gates by the name of the node that stops at them; a resource.
public struct Gates: Sendable {
    public var byNode: [String: Gate]
    public init(_ byNode: [String: Gate]) { self.byNode = byNode }
}
