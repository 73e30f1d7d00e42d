public import SluiceCore

/// The link between a reader and a demuxer: it carries one ``ByteSource``, not a queue of bytes.
///
/// libavformat pulls synchronously and seeks at will, so the reader opens and checks the source and hands it over; the
/// demuxer then reads it on its own thread. A flush leaves the source in place: a seek moves the demuxer, which moves
/// the source.
public final class ByteLink: AnyChannel {
    public enum Offer: Sendable {
        /// The reader has not opened the source yet.
        case pending
        case source(any ByteSource)
        case failed(NodeFailure)
        case closed
    }

    private struct State {
        var offer = Offer.pending
        var name: String?
        var epoch = Epoch.first
        var consumer: Waker?
        var producer: Waker?
    }

    private let state = Locked(State())

    public init() {}

    public var payloadKind: PayloadKind { .bytes }

    public var level: ChannelLevel {
        state.withLock { state in
            var level = ChannelLevel()
            level.epoch = state.epoch
            if case .closed = state.offer { level.closed = true }
            if case .source = state.offer { level.items = 1 }
            return level
        }
    }

    public var offer: Offer { state.withLock { $0.offer } }

    /// File name of the source, where it has one: formats without a signature are known by its extension.
    public var name: String? { state.withLock { $0.name } }

    /// Hands the source to the demuxer. A closed link closes the source instead; a second source replaces the first,
    /// which is closed.
    public func provide(_ source: any ByteSource, name: String? = nil) {
        let (waker, unused): (Waker?, (any ByteSource)?) = state.withLock { state in
            if case .closed = state.offer { return (nil, source) }
            var replaced: (any ByteSource)?
            if case .source(let earlier) = state.offer, earlier !== source { replaced = earlier }
            state.offer = .source(source)
            state.name = name
            return (state.consumer, replaced)
        }
        unused?.close()
        waker?.signal()
    }

    public func fail(_ failure: NodeFailure) {
        let waker: Waker? = state.withLock { state in
            if case .pending = state.offer { state.offer = .failed(failure) }
            return state.consumer
        }
        waker?.signal()
    }

    public func attachProducer(_ waker: Waker) { state.withLock { $0.producer = waker } }
    public func attachConsumer(_ waker: Waker) { state.withLock { $0.consumer = waker } }
    public func flush(to epoch: Epoch) { state.withLock { $0.epoch = max($0.epoch, epoch) } }

    public func close() {
        let (source, wakers): ((any ByteSource)?, [Waker?]) = state.withLock { state in
            var source: (any ByteSource)?
            if case .source(let held) = state.offer { source = held }
            state.offer = .closed
            return (source, [state.producer, state.consumer])
        }
        source?.close()
        for waker in wakers { waker?.signal() }
    }

    public func detachConsumer() { close() }
}
