/// How many requests one origin is sent at a time, learned from its refusals.
///
/// Without a limit everything is granted. A slot is held from the request until its transfer ends.
///
/// - Note: behaviours RD-20, RD-21, RX-24.
struct RequestBudget: Sendable {
    /// The host's own word; it wins over whatever is learned.
    var declaredLimit: Int?
    private(set) var learnedLimit: Int?
    private(set) var inFlight = 0
    /// Most requests ever in flight together.
    private(set) var peak = 0
    /// Requests that went out without a slot because they had waited too long.
    private(set) var ungranted: UInt64 = 0
    private(set) var refusals: UInt64 = 0

    init(declaredLimit: Int? = nil) { self.declaredLimit = declaredLimit }

    var limit: Int? { declaredLimit.map { max($0, 1) } ?? learnedLimit }

    mutating func tryAcquire() -> Bool {
        if let limit, inFlight >= limit { return false }
        count()
        return true
    }

    /// Takes a slot that is not there; the overdraft still counts as in flight.
    mutating func proceedUngranted() {
        ungranted &+= 1
        count()
    }

    mutating func release() { inFlight = max(0, inFlight - 1) }

    /// The origin answered 429, 503 or 509.
    mutating func refused() {
        refusals &+= 1
        learnedLimit = max(1, (learnedLimit ?? peak) / 2)
    }

    private mutating func count() {
        inFlight += 1
        peak = max(peak, inFlight)
    }
}
