import SluiceCore

/// Requests answered, by status.
final class RequestCounts: Sendable {
    private struct State {
        var statuses: [Int: Int] = [:]
        var bytes: Int64 = 0
    }

    private let state = Locked(State())

    func note(_ response: Response) {
        state.withLock { state in
            state.statuses[response.status, default: 0] += 1
            state.bytes &+= response.body.size
        }
    }

    /// In the order of the statuses.
    var statuses: [(status: Int, count: Int)] {
        state.withLock { $0.statuses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Of bodies; ranges count whole.
    var bytes: Int64 { state.withLock { $0.bytes } }
}
