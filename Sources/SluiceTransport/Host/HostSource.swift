public import SluiceCore

/// A host's own reader seen as a ``ByteSource``.
public final class HostSource: ByteSource {
    private struct State {
        var position: Int64 = 0
        var isReading = false
        var isInterrupted = false
        var isClosed = false
        /// Set when the reader's position is not known, after a failed read or seek.
        var isLost = false
    }

    private let reader: any HostReader
    public let name: String
    private let state: Locked<State>

    public let size: Int64?
    public let isSeekable: Bool
    public let identity: String?

    /// Asks for the size and does the position handshake (to byte 0, moving nothing else). May block.
    public init(_ reader: any HostReader, name: String = "host reader", identity: String? = nil) {
        self.reader = reader
        self.name = name
        self.identity = identity
        let answer = reader.seek(to: 0, whence: .size)
        let canSeek = reader.seek(to: 0, whence: .start) == 0
        size = answer >= 0 ? answer : nil
        // Without a size nobody can look for what sits at the end (behaviours RD-19).
        isSeekable = canSeek && answer >= 0
        state = Locked(State())
    }

    deinit { close() }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        guard offset >= 0 else { throw NodeFailure(.invalidOption, "\(name): read at offset \(offset)") }
        if let size, offset >= size {
            try checkOpen()
            return 0
        }
        guard !buffer.isEmpty else { return 0 }
        let (position, isLost) = try begin()
        var reached = position
        var lost = isLost
        defer { end(reached, lost: lost) }

        if position != offset || isLost {
            guard isSeekable else {
                throw NodeFailure(.unsupported, "\(name): byte \(offset) asked for at \(position) of a single pass")
            }
            guard reader.seek(to: offset, whence: .start) == offset else {
                lost = true
                throw failure("seek to \(offset) failed")
            }
            reached = offset
            lost = false
        }
        let count = reader.read(into: buffer)
        guard count >= 0, count <= buffer.count else {
            lost = true
            throw failure("read at \(offset) returned \(count)")
        }
        // A reader that was told to stop may answer as if it were at its end.
        if count == 0 { try checkOpen() }
        if count == 0, let size, offset < size { throw failure("ended at \(offset) of \(size) bytes") }
        reached = offset + Int64(count)
        return count
    }

    public func interrupt() {
        state.withLock { $0.isInterrupted = true }
        reader.interrupt()
    }

    public func resume() { state.withLock { $0.isInterrupted = false } }

    public func close() {
        let (first, isReading) = state.withLock { (state: inout State) -> (Bool, Bool) in
            defer { state.isClosed = true }
            return (!state.isClosed, state.isReading)
        }
        guard first else { return }
        if isReading { reader.interrupt() } else { reader.close() }
    }

    private func begin() throws(NodeFailure) -> (Int64, Bool) {
        try checkOpen()
        return try state.withLock { (state: inout State) throws(NodeFailure) -> (Int64, Bool) in
            guard !state.isReading else {
                throw NodeFailure(.internalInvariant, "\(name): two reads at once; a source has one reader")
            }
            state.isReading = true
            return (state.position, state.isLost)
        }
    }

    private func end(_ position: Int64, lost: Bool) {
        let isClosed = state.withLock { (state: inout State) -> Bool in
            state.position = position
            state.isLost = lost
            state.isReading = false
            return state.isClosed
        }
        if isClosed { reader.close() }
    }

    private func checkOpen() throws(NodeFailure) {
        let (isClosed, isInterrupted) = state.withLock { ($0.isClosed, $0.isInterrupted) }
        guard !isClosed else { throw NodeFailure(.cancelled, "\(name): closed") }
        guard !isInterrupted else { throw NodeFailure(.cancelled, "\(name): interrupted") }
    }

    private func failure(_ what: String) -> NodeFailure {
        let stopped = state.withLock { $0.isClosed || $0.isInterrupted }
        return stopped ? NodeFailure(.cancelled, "\(name): interrupted") : NodeFailure(.transport, "\(name): \(what)")
    }
}
