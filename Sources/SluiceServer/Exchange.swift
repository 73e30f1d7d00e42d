import Sluice
import SluiceCore

/// One request and its answer, from the request line to the last byte.
final class Exchange: Sendable {
    enum Phase: Sendable {
        /// Headers are not there yet.
        case begun
        /// The body is coming.
        case reading
        /// Suspended; the pending table owns the connection.
        case waiting
        case answered(Response)
        /// The client has gone; only closing is left.
        case abandoned
        case queued
    }

    struct State {
        var phase = Phase.begun
        var body: [UInt8] = []
        var request: Request?
        /// The connection's, once headers are there.
        var socket: Int32?
    }

    /// The request target as sent; nil where it is not UTF-8.
    let target: String?
    let state = Locked(State())

    init(target: String?) { self.target = target }

    func settle(_ phase: Phase) { state.withLock { $0.phase = phase } }
}
