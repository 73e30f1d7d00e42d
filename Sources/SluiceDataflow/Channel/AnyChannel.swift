public import SluiceCore

/// What the runner sees of a link: no payload type, only flow control and numbers.
public protocol AnyChannel: AnyObject, Sendable {
    var payloadKind: PayloadKind { get }
    var level: ChannelLevel { get }
    /// Whom to wake when room appears, and when items appear.
    func attachProducer(_ waker: Waker)
    func attachConsumer(_ waker: Waker)
    /// Discards what is queued, adopts `epoch`, wakes both ends. Any thread.
    func flush(to epoch: Epoch)
    /// No further item goes in or out. Any thread.
    func close()
    /// The consumer is gone but the producer lives on: sends succeed and vanish. Any thread.
    func detachConsumer()
}

/// Numbers of a channel at one moment.
public struct ChannelLevel: Sendable, Hashable {
    public var items = 0
    public var bytes = 0
    public var peakBytes = 0
    /// Nanoseconds between first and last payload.
    public var span: Int64 = 0
    public var dropped: UInt64 = 0
    /// Times a send found the channel full.
    public var fullCount: UInt64 = 0
    public var epoch = Epoch.first
    public var closed = false
    public init() {}
}
