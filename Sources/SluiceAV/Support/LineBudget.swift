/// How many log lines a second pass; the rest are counted.
struct LineBudget: Sendable {
    enum Verdict: Sendable, Hashable {
        /// The line passes; so many before it did not.
        case pass(suppressed: Int)
        case drop
    }

    private let linesPerSecond: Int
    private var windowStart: ContinuousClock.Instant?
    private var passed = 0
    private var suppressed = 0

    init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    mutating func admit(at now: ContinuousClock.Instant) -> Verdict {
        if windowStart.map({ now - $0 >= .seconds(1) }) ?? true {
            windowStart = now
            passed = 0
        }
        guard passed < linesPerSecond else {
            suppressed &+= 1
            return .drop
        }
        passed += 1
        defer { suppressed = 0 }
        return .pass(suppressed: suppressed)
    }
}
