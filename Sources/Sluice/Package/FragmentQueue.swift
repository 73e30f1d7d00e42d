import SluiceCore
import SluiceDataflow
import SluiceNodes

/// Carries finished fragments from the graph to whoever writes them, bounded in bytes.
final class FragmentQueue: SegmentDestination {
    private struct State {
        var fragments: [Fragment] = []
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

    /// All that waits; nil after the end. One caller.
    func next() async -> [Fragment]? {
        while true {
            let (batch, isEnded, publisher) = state.withLock { state in
                defer {
                    state.fragments = []
                    state.bytes = 0
                }
                return (state.fragments, state.isEnded, state.publisher)
            }
            if !batch.isEmpty {
                publisher?.signal()
                return batch
            }
            if isEnded { return nil }
            await writer.wait()
        }
    }
}
