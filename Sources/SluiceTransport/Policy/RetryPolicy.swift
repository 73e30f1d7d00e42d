/// How often and how soon a broken transfer is tried again.
///
/// - Note: behaviours RD-05, RD-06, RD-07.
public struct RetryPolicy: Sendable, Hashable {
    /// Half of the first delay; the n-th delay is `unit` × 2^n, n at most 4. 0.5 s.
    public var unit: Duration = .milliseconds(500)
    /// No computed delay is longer. 8 s.
    public var longestDelay: Duration = .seconds(8)
    /// No delay asked for by `Retry-After` is longer. 15 s.
    public var longestRetryAfter: Duration = .seconds(15)
    /// Failures in a row after which a source that once delivered is given up.
    public var unproductiveCap = 12
    /// The same for a source that never delivered a byte: who mistyped a port is told within two seconds.
    public var neverDeliveredCap = 2
    /// The same for answers 429, 503 and 509.
    public var rateLimitCap = 6
    /// Bytes from the network that end a streak of failures: 512 KiB.
    public var productiveBytes: Int64 = 512 << 10

    public init() {}

    /// The pause before the attempt that follows `streak` failures in a row.
    public func delay(streak: Int, retryAfter: Duration? = nil) -> Duration {
        var delay = Duration.zero
        if streak > 0 { delay = min(unit * (1 << min(streak, 4)), longestDelay) }
        if let retryAfter { delay = min(max(delay, retryAfter), longestRetryAfter) }
        return delay
    }
}

/// Where one source stands on its ``RetryPolicy``.
struct RetryLadder: Sendable {
    enum Failure: Hashable, Sendable {
        /// Connection refused, reset, silent, or a body that ended early.
        case connection
        /// An HTTP status that is no success; the ladder sorts it.
        case status(Int)
        /// An answer that does not fit the request.
        case wrongAnswer
    }

    enum Verdict: Hashable, Sendable {
        case retry(after: Duration)
        case giveUp
    }

    let policy: RetryPolicy
    /// Failures in a row, without rate limits.
    private(set) var streak = 0
    /// Rate-limit answers in a row.
    private(set) var rateLimitStreak = 0
    private(set) var everDelivered = false
    private var deliveredSinceReset: Int64 = 0
    /// Bytes since the last failure.
    private var deliveredSinceFailure: Int64 = 0
    private var hardRefusals = 0

    init(_ policy: RetryPolicy) { self.policy = policy }

    static func isRateLimit(status: Int) -> Bool { status == 429 || status == 503 || status == 509 }

    /// Counts bytes that crossed the network; never call it for bytes served from memory.
    mutating func delivered(_ count: Int) {
        guard count > 0 else { return }
        everDelivered = true
        deliveredSinceReset &+= Int64(count)
        deliveredSinceFailure &+= Int64(count)
        guard deliveredSinceReset >= policy.productiveBytes else { return }
        deliveredSinceReset = 0
        streak = 0
        rateLimitStreak = 0
        hardRefusals = 0
    }

    mutating func failed(_ failure: Failure, retryAfter: Duration? = nil) -> Verdict {
        let wasProductive = deliveredSinceFailure >= policy.productiveBytes
        deliveredSinceFailure = 0
        deliveredSinceReset = failure == .connection ? deliveredSinceReset : 0
        if case .status(let status) = failure, Self.isRateLimit(status: status) {
            rateLimitStreak += 1
            guard rateLimitStreak <= policy.rateLimitCap else { return .giveUp }
            return .retry(after: policy.delay(streak: rateLimitStreak, retryAfter: retryAfter))
        }
        streak += 1
        if failure != .connection, !everDelivered {
            hardRefusals += 1
            guard hardRefusals <= 1 else { return .giveUp }
            return .retry(after: .zero)
        }
        // The connection did its work before it broke: there is nothing to wait for.
        if failure == .connection, wasProductive, streak == 1 { return .retry(after: .zero) }
        guard streak <= (everDelivered ? policy.unproductiveCap : policy.neverDeliveredCap) else { return .giveUp }
        // Before the first byte the wait begins a step lower: 0.5 s, 1 s.
        let step = everDelivered ? streak : streak - 1
        return .retry(
            after: max(policy.delay(streak: step, retryAfter: retryAfter), everDelivered ? .zero : policy.unit))
    }
}
