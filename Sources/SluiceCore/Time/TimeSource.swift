/// The clock that everything in Sluice reads; tests inject a manual one.
///
/// Instants are monotonic and never go back; they say nothing about wall time.
public protocol TimeSource: Sendable {
    var now: ContinuousClock.Instant { get }
    /// Returns at or after `deadline`; throws `CancellationError` when the task is cancelled first.
    func sleep(until deadline: ContinuousClock.Instant) async throws
}

/// The machine's monotonic clock.
public struct SystemTimeSource: TimeSource {
    public init() {}
    public var now: ContinuousClock.Instant { ContinuousClock.now }
    public func sleep(until deadline: ContinuousClock.Instant) async throws {
        try await ContinuousClock().sleep(until: deadline)
    }
}

extension Duration {
    /// Whole nanoseconds, saturating at ± 292 years.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, spilled) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return spilled ? (seconds < 0 ? .min : .max) : sum
    }

    /// Seconds, as near as a `Double` comes.
    public var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
