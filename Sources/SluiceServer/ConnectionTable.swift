import Glibc
import SluiceCore

/// Ends connections whose client takes too long over a request or an answer.
///
/// libmicrohttpd closes connections without any traffic; one byte now and then keeps them for ever. A socket is in the
/// table from its connection's start until just before it is closed, both told under the same lock that shuts it down,
/// so that never another connection's is hit.
final class ConnectionTable: Sendable {
    private struct State {
        /// When the client must have done its part; nil while the server does its own.
        var deadlines: [Int32: ContinuousClock.Instant?] = [:]
        var cutOff = 0
        var sweeper: Task<Void, Never>?
    }

    private static let period = Duration.milliseconds(500)

    private let limits: SlownessRule
    private let time: any TimeSource
    private let state = Locked(State())

    init(limits: SlownessRule, time: any TimeSource) {
        self.limits = limits
        self.time = time
    }

    var count: Int { state.withLock { $0.deadlines.count } }
    var cutOff: Int { state.withLock { $0.cutOff } }

    func open(_ socket: Int32) {
        let deadline = time.now.advanced(by: limits.grace)
        state.withLock { $0.deadlines[socket] = .some(deadline) }
    }

    func close(_ socket: Int32) { state.withLock { _ = $0.deadlines.removeValue(forKey: socket) } }

    /// An answer is complete; the next request may come.
    func expectRequest(_ socket: Int32) { set(socket, time.now.advanced(by: limits.grace)) }

    /// The request is complete; the client has nothing to do but wait.
    func wait(_ socket: Int32) { set(socket, nil) }

    func sendBody(_ socket: Int32, bytes: Int64) {
        set(socket, time.now.advanced(by: limits.time(forBody: bytes)))
    }

    private func set(_ socket: Int32, _ deadline: ContinuousClock.Instant?) {
        state.withLock { state in
            if state.deadlines[socket] != nil { state.deadlines.updateValue(deadline, forKey: socket) }
        }
    }

    func start() {
        let task = Task { [weak self] in
            while !Task.isCancelled {
                guard let time = self?.time else { return }
                do { try await time.sleep(until: time.now.advanced(by: Self.period)) } catch { return }
                self?.sweep()
            }
        }
        state.withLock { $0.sweeper = task }
    }

    func stop() { state.withLock { $0.sweeper.take() }?.cancel() }

    private func sweep() {
        let now = time.now
        state.withLock { state in
            for (socket, deadline) in state.deadlines {
                guard let deadline, deadline <= now else { continue }
                // The daemon sees the end of the connection and closes it.
                shutdown(socket, Int32(SHUT_RDWR))
                state.deadlines.updateValue(nil, forKey: socket)
                state.cutOff += 1
            }
        }
    }
}
