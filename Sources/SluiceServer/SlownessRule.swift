import SluiceCore

/// How long a client may take for its part of an exchange. Pure.
struct SlownessRule: Sendable, Hashable {
    /// For a whole request, and on top of a body's own time.
    var grace: Duration
    /// Bytes a second.
    var slowestRate: Int

    /// For an answer of that many bytes.
    func time(forBody bytes: Int64) -> Duration {
        grace + .seconds(max(0, bytes) / Int64(max(1, slowestRate)))
    }
}
