public import SluiceCore

/// Bytes that are in memory already.
public final class MemorySource: ByteSource {
    private enum Stop { case none, interrupted, closed }

    private let bytes: [UInt8]
    private let stop = Locked(Stop.none)

    public let identity: String?
    public var size: Int64? { Int64(bytes.count) }
    public let isSeekable: Bool

    /// `isSeekable: false` makes it behave like a pipe of known size, for hosts that must not seek and for tests.
    public init(_ bytes: [UInt8], identity: String? = nil, isSeekable: Bool = true) {
        self.bytes = bytes
        self.identity = identity
        self.isSeekable = isSeekable
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        switch stop.withLock({ $0 }) {
        case .none: break
        case .interrupted: throw NodeFailure(.cancelled, "memory source interrupted")
        case .closed: throw NodeFailure(.cancelled, "memory source closed")
        }
        guard offset >= 0 else { throw NodeFailure(.invalidOption, "memory source read at offset \(offset)") }
        guard offset < Int64(bytes.count) else { return 0 }
        let start = Int(offset)
        let count = min(buffer.count, bytes.count - start)
        buffer.copyBytes(from: bytes[start..<(start + count)])
        return count
    }

    public func interrupt() { stop.withLock { if $0 == .none { $0 = .interrupted } } }
    public func resume() { stop.withLock { if $0 == .interrupted { $0 = .none } } }
    public func close() { stop.withLock { $0 = .closed } }
}
