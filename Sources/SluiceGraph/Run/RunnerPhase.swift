public import SluiceCore

/// Where a runner is in its life.
public enum RunnerPhase: Sendable, Hashable {
    case idle
    case starting
    case running
    case seeking(Epoch)
    /// Sources were told to finish; the end is on its way to the sinks.
    case draining
    /// Every sink saw the end of the stream. A seek may follow while the nodes live.
    case drained
    case failed
    case cancelled
    /// A node did not stop in time; the rest did.
    case abandoned

    /// Whether the graph has stopped or is about to: no seek, drain or cancel has any effect.
    public var isOver: Bool {
        switch self {
        case .failed, .cancelled, .abandoned: true
        case .idle, .starting, .running, .seeking, .draining, .drained: false
        }
    }

    /// Whether payloads are expected to flow.
    public var isMoving: Bool {
        switch self {
        case .running, .seeking, .draining: true
        case .idle, .starting, .drained, .failed, .cancelled, .abandoned: false
        }
    }

    public var name: String {
        switch self {
        case .idle: "idle"
        case .starting: "starting"
        case .running: "running"
        case .seeking: "seeking"
        case .draining: "draining"
        case .drained: "drained"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .abandoned: "abandoned"
        }
    }
}
