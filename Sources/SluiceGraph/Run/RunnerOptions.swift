public import SluiceCore
public import SluiceDataflow

/// How a runner treats its graph.
public struct RunnerOptions: Sendable {
    /// Keep the nodes after the end of stream, so that a seek can follow; `drain()` or `cancel()` ends the run then.
    public var staysAlive = false
    /// After this a seek is `.stalled`; it may still land.
    public var seekDeadline = Duration.seconds(8)
    /// How long a cancelled node may take to return before it is abandoned.
    public var joinDeadline = Duration.seconds(2)
    /// No progress for this long, while something is wanted, is a stall.
    public var stallPatience = Duration.seconds(2)
    /// Record the last 4096 events of every node.
    public var trace = false
    public var clock: any TimeSource = SystemTimeSource()
    public var logger = Logger.silent
    /// Threads for nodes with `"thread": "dedicated"`.
    public var pool = BlockingThreads.shared
    public init() {}
}
