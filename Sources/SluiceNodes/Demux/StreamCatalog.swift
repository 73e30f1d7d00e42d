public import SluiceAV
public import SluiceCore

/// What the demuxer found in the container, for whoever runs the graph. Filled once, before the first packet.
public final class StreamCatalog: Sendable {
    public struct Contents: Sendable {
        public var formatName: String
        public var streams: [StreamFormat]
        public var duration: Duration?
        public var chapters: [Chapter]
        public var metadata: [String: String]
    }

    private let state = Locked<Contents?>(nil)
    public init() {}
    public var contents: Contents? { state.withLock { $0 } }
    func set(_ contents: Contents) { state.withLock { $0 = contents } }
}
