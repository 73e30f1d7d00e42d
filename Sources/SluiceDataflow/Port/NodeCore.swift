public import SluiceCore
import Synchronization

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
    private let cancelFlag = Atomic<Bool>(false)

    public init(
        name: String, clock: any TimeSource = SystemTimeSource(), logger: Logger = .silent,
        report: @escaping @Sendable (NodeReport) -> Void = { _ in }
    ) {
        self.name = name
        self.clock = clock
        self.logger = logger
        self.report = report
        trace = TraceRing(clock: clock)
    }

    public var isCancelled: Bool { cancelFlag.load(ordering: .acquiring) }

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
    func wait(for activity: NodeActivity) async {
        let begin = clock.now
        metrics.beginWait(activity)
        await waker.wait()
        metrics.endWait(activity, nanoseconds: begin.duration(to: clock.now).nanoseconds)
    }
}
