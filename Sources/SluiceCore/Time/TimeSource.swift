import Glibc

/// The clock that everything in Sluice reads; tests inject a manual one.
///
/// Instants are monotonic and never go back; they say nothing about wall time.
public protocol TimeSource: Sendable {
    var now: ContinuousClock.Instant { get }
    /// Nanoseconds from an arbitrary zero, up to 10 ms behind ``now``; cheap enough to read between items.
    var coarseNanoseconds: Int64 { get }
    /// Returns at or after `deadline`; throws `CancellationError` when the task is cancelled first.
    func sleep(until deadline: ContinuousClock.Instant) async throws
}

extension TimeSource {
    public var coarseNanoseconds: Int64 { TimeZero.instant.duration(to: now).nanoseconds }
}

private enum TimeZero {
    static let instant = ContinuousClock.now
}

/// The machine's monotonic clock.
public struct SystemTimeSource: TimeSource {
    public init() {}
    public var now: ContinuousClock.Instant { ContinuousClock.now }
    public var coarseNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
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

    /// The same to the nearest millisecond: for people.
    public var inRoundSeconds: Double { (inSeconds * 1_000).rounded() / 1_000 }
}
