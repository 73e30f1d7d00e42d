import SluiceCore
import SluiceDataflow

/// Finds out that a graph does not move although something is wanted of it. Pure: told the time and the numbers.
struct StallDetector {
    enum Verdict: Equatable {
        case fine
        /// Nothing moves because of this node: it is busy, or it is a source that waits for the world.
        case stalled(String)
        /// Every node waits for another.
        case deadlocked
    }

    let patience: Duration
    private var lastProgress: UInt64?
    private var lastChange: ContinuousClock.Instant?
    private var reported = false

    init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// Starts over: after a seek, a park, or while nothing is wanted.
    mutating func reset() {
        lastProgress = nil
        lastChange = nil
        reported = false
    }

    /// One report a stall: the verdict returns to `.fine` until something has moved again.
    mutating func look(_ nodes: [(name: String, isSource: Bool, numbers: NodeNumbers)], at now: ContinuousClock.Instant)
        -> Verdict
    {
        // What parked was told to wait, a publisher far enough ahead for one: those before it wait for it by design.
        if nodes.contains(where: { !$0.isSource && $0.numbers.activity == .parked }) {
            reset()
            return .fine
        }
        let progress = nodes.reduce(UInt64(0)) { $0 &+ $1.numbers.progress }
        guard let since = lastChange, progress == lastProgress else {
            lastProgress = progress
            lastChange = now
            reported = false
            return .fine
        }
        guard !reported, since.duration(to: now) >= patience else { return .fine }
        reported = true
        if let busy = nodes.first(where: { $0.numbers.activity == .busy }) { return .stalled(busy.name) }
        if let source = nodes.first(where: { $0.isSource && $0.numbers.activity == .waitingForInput }) {
            return .stalled(source.name)
        }
        return .deadlocked
    }
}
