public import SluiceCore

/// A ``ByteSource`` around another one that fails in a chosen way.
public final class FaultyTransport: ByteSource {
    public enum Fault: Sendable, Hashable {
        /// Reads that touch this byte throw.
        case fails(at: Int64, NodeFailure)
        /// Reads at or behind this byte wait until interrupted or closed.
        case stalls(at: Int64)
        /// No read returns more than so many bytes.
        case shortReads(Int)
        /// The declared size differs from the real one.
        case claimsSize(Int64?)
        /// Only a single pass works.
        case notSeekable
        /// Everything behind this byte is missing though the size says otherwise: reads return 0.
        case truncated(at: Int64)
    }

    private enum Stop { case none, interrupted, closed }

    private let base: any ByteSource
    private let faults: [Fault]
    private let stop = Locked(Stop.none)
    private let counter = Locked(0)

    public init(_ base: any ByteSource, _ faults: Fault...) {
        self.base = base
        self.faults = faults
    }

    /// Reads begun so far.
    public var readCount: Int { counter.withLock { $0 } }

    public var size: Int64? {
        for case .claimsSize(let size) in faults { return size }
        return base.size
    }

    public var isSeekable: Bool { base.isSeekable && !faults.contains(.notSeekable) }
    public var identity: String? { base.identity }
    public var name: String { base.name }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        counter.withLock { $0 += 1 }
        try checkStopped()
        var limit = buffer.count
        for fault in faults {
            switch fault {
            case .fails(let place, let failure):
                if offset >= place { throw failure }
                limit = min(limit, Int(clamping: place - offset))
            case .stalls(let place):
                if offset >= place { try waitForStop() }
                limit = min(limit, Int(clamping: place - offset))
            case .shortReads(let most): limit = min(limit, max(1, most))
            case .truncated(let place):
                if offset >= place { return 0 }
                limit = min(limit, Int(clamping: place - offset))
            case .claimsSize, .notSeekable: break
            }
        }
        return try base.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit]), at: offset)
    }

    public func interrupt() {
        stop.withLock { if $0 == .none { $0 = .interrupted } }
        stop.signal()
        base.interrupt()
    }

    public func resume() {
        stop.withLock { if $0 == .interrupted { $0 = .none } }
        base.resume()
    }

    public func close() {
        stop.withLock { $0 = .closed }
        stop.signal()
        base.close()
    }

    private func checkStopped() throws(NodeFailure) {
        guard stop.withLock({ $0 }) == .none else { throw NodeFailure(.cancelled, "faulty transport stopped") }
    }

    private func waitForStop() throws(NodeFailure) {
        _ = stop.wait(until: nil) { $0 == .none ? nil : true }
        throw NodeFailure(.cancelled, "faulty transport stopped")
    }
}
