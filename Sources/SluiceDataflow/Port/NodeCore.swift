public import SluiceCore
public import Synchronization

/// What a node tells its runner.
public enum NodeReport: Sendable {
    /// A landing sink saw the first payload, or the end, of an epoch.
    case landed(Epoch, Timestamp?)
    /// A source cannot go where the seek wants.
    case rejected(Epoch, String)
    /// A sink saw end of stream.
    case ended(Epoch, EndReason)
    /// Something for the event stream: one line a state change.
    case notice(String)
}

/// The parts of a running node that others may touch: its waker, inbox, token, counters. All thread-safe.
public final class NodeCore: Sendable {
    public let name: String
    public let waker = Waker()
    public let inbox = ControlInbox()
    public let interrupt = InterruptToken()
    public let metrics = NodeMetrics()
    public let trace: TraceRing
    public let clock: any TimeSource
    public let logger: Logger
    private let report: @Sendable (NodeReport) -> Void
    @usableFromInline let cancelFlag = Atomic<Bool>(false)
    /// Zero of the stopwatch that the metrics count on.
    private let origin: ContinuousClock.Instant

    public init(
        name: String, clock: any TimeSource = SystemTimeSource(), logger: Logger = .silent,
        report: @escaping @Sendable (NodeReport) -> Void = { _ in }
    ) {
        self.name = name
        self.clock = clock
        self.logger = logger
        self.report = report
        trace = TraceRing(clock: clock)
        origin = clock.now
    }

    @inlinable public var isCancelled: Bool { cancelFlag.load(ordering: .acquiring) }

    /// Makes the node leave its loop: raises its token, wakes it. Any thread, idempotent.
    public func cancel() {
        cancelFlag.store(true, ordering: .releasing)
        interrupt.raise()
        waker.signal()
    }

    /// False when the inbox refused the message.
    public func post(_ message: ControlMessage) -> Bool {
        let taken = inbox.post(message)
        waker.signal()
        return taken
    }

    public func send(_ message: NodeReport) { report(message) }

    /// Suspends a node that has nothing to do until it is woken: by control, by cancellation, or without a reason.
    public func park() async { await wait(for: .parked) }

    /// Suspends until something that concerns the node changes, and accounts for the time.
    @usableFromInline
    func wait(for activity: NodeActivity) async {
        let begin = stopwatch
        metrics.beginWait(activity, at: begin)
        await waker.wait()
        metrics.endWait(activity, nanoseconds: stopwatch - begin)
    }

    /// The counters now, with a wait that is still going on.
    public var numbers: NodeNumbers { metrics.snapshot(at: stopwatch) }

    /// For nodes with several inputs: suspends until any input, any output or the inbox may have something.
    public func waitForInput() async { await wait(for: .waitingForInput) }

    /// Around the node's whole life, so that busy time is known. Whoever runs the node calls both.
    public func nodeBegins() { metrics.begin(at: stopwatch) }
    public func nodeEnded() { metrics.end(at: stopwatch) }

    private var stopwatch: Int64 { origin.duration(to: clock.now).nanoseconds }
}
