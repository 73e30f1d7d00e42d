import SluiceCore
import SluiceDataflow
import SluiceNodes

/// Carries finished fragments from the graph to whoever writes them, bounded in bytes.
final class FragmentQueue: SegmentDestination {
    private struct State {
        var fragments: [Fragment] = []
        /// Of all that waits, and of the one that is being written.
        var bytes = 0
        var isEnded = false
        var publisher: Waker?
    }

    /// Bytes beyond which the graph waits; one segment more may lie here.
    private let limit: Int
    private let state = Locked(State())
    private let writer = Waker()

    init(limit: Int = 1 << 20) { self.limit = limit }

    func publish(_ fragment: Fragment) throws(NodeFailure) {
        state.withLock { state in
            state.fragments.append(fragment)
            state.bytes += fragment.byteCost
        }
        writer.signal()
    }

    func admits(index: Int) -> Bool { state.withLock { $0.bytes <= limit } }
    func attach(_ waker: Waker) { state.withLock { $0.publisher = waker } }
    func ended(_ reason: EndReason) {}

    /// Nothing more comes: the graph has returned.
    func close() {
        state.withLock { $0.isEnded = true }
        writer.signal()
    }

    /// Waits until ``take(_:)`` has something to give; false after the end. One caller.
    func waits() async -> Bool {
        while true {
            let (isEmpty, isEnded) = state.withLock { ($0.fragments.isEmpty, $0.isEnded) }
            if !isEmpty { return true }
            if isEnded { return false }
            await writer.wait()
        }
    }

    /// Hands the oldest fragment to `write`, which counts as waiting until that returns; nil where nothing waits.
    func take<Result, Failure: Error>(_ write: (consuming Fragment) throws(Failure) -> Result) throws(Failure)
        -> Result?
    {
        guard let fragment = state.withLock({ $0.fragments.isEmpty ? nil : $0.fragments.removeFirst() }) else {
            return nil
        }
        let bytes = fragment.byteCost
        defer {
            let publisher = state.withLock { state in
                state.bytes -= bytes
                return state.publisher
            }
            publisher?.signal()
        }
        return try write(fragment)
    }
}
