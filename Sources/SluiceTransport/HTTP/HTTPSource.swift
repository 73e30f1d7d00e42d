public import SluiceCore

/// A remote object behind a window: the network thread fills it, the reader's thread takes from it.
///
/// Opens with one `bytes=0-` request, whose `Content-Range` tells the size; goes on from where a broken connection
/// stopped; never calls a failure an end.
///
/// - Note: behaviours RD-02 to RD-13, RD-19, RD-23.
public final class HTTPSource: ByteSource {
    /// Numbers of one source since it was made.
    public struct Statistics: Sendable, Hashable {
        /// Requests sent, redirects and retries included.
        public var requests = 0
        /// Requests that replaced a failed one.
        public var retries = 0
        /// Body bytes that came over the network.
        public var receivedBytes: Int64 = 0
        /// Most bytes the window ever held, look-back included.
        public var peakWindowBytes = 0
        /// Bytes the window holds ahead of the reader.
        public var aheadBytes = 0
    }

    private let url: WebURL
    private let loop: CurlLoop
    private let state: Locked<HTTPFetch>

    public var size: Int64? { state.withLock { $0.size } }
    public var isSeekable: Bool { state.withLock { $0.isSeekable } }
    public var identity: String? { state.withLock { $0.validator?.identity } }
    public var name: String { url.redacted }
    /// Where the answers come from, after redirects: what a playlist refers to is seen from there.
    package var location: WebURL { state.withLock { $0.target.url } }
    public var statistics: Statistics { state.withLock { $0.statistics } }

    /// The type the origin declared, lowercased and without parameters; nil where it declared none.
    public var contentType: String? { state.withLock { $0.contentType } }

    /// Starts nothing yet; ``open()`` or the first read does. Throws `.invalidOption` for unusable headers.
    public convenience init(
        _ url: WebURL, headers: [HeaderField] = [], options: TransportOptions = TransportOptions()
    ) throws(NodeFailure) {
        try self.init(url, headers: headers, options: options, loop: .shared)
    }

    init(
        _ url: WebURL, headers: [HeaderField], options: TransportOptions, loop: CurlLoop
    ) throws(NodeFailure) {
        guard headers.count <= 64 else {
            throw NodeFailure(.invalidOption, "\(headers.count) request headers; at most 64 are taken")
        }
        for field in headers { try field.check() }
        try HeaderField("User-Agent", options.userAgent).check()
        self.url = url
        self.loop = loop
        state = Locked(HTTPFetch(url, headers: headers, options: options, loop: loop))
    }

    deinit { close() }

    /// Blocks until the origin's first good answer, at most `options.openTimeout`.
    public func open() throws(NodeFailure) {
        let timeout = state.withLock { $0.options.openTimeout }
        let opened = try state.wait(until: ContinuousClock.now + timeout) {
            (state: inout HTTPFetch) throws(NodeFailure) -> Bool? in
            try state.checkOpen(receiver: self) ? true : nil
        }
        guard opened == nil else { return }
        throw state.withLock { $0.lastFailure }
            ?? NodeFailure(.timedOut, "\(url.redacted): no answer within \(timeout)", isTransient: true)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        guard offset >= 0 else { throw NodeFailure(.invalidOption, "\(url.redacted): read at offset \(offset)") }
        guard !buffer.isEmpty else { return 0 }
        while true {
            let (deadline, version) = state.withLock { ($0.deadline, $0.deadlineVersion) }
            let step = try state.wait(until: deadline) {
                (state: inout HTTPFetch) throws(NodeFailure) -> HTTPFetch.ReadStep? in
                guard state.deadlineVersion == version else { return .again }
                return try state.read(into: buffer, at: offset, receiver: self).map { .done($0) }
            }
            switch step {
            case .done(let count): return count
            case .again: continue
            case nil:
                // Latched: libavformat takes some failed reads for success (behaviours RD-24).
                state.withLock { if $0.deadlineVersion == version { $0.deadlineFired = true } }
            }
        }
    }

    /// Reads that are not served by then throw `.timedOut`, and go on doing so until this is called again.
    ///
    /// nil takes the deadline away. Any thread.
    public func setReadDeadline(_ deadline: ContinuousClock.Instant?) {
        state.withLock { state in
            state.deadline = deadline
            state.deadlineVersion &+= 1
            state.deadlineFired = false
        }
        state.signal()
    }

    public func interrupt() {
        state.withLock { $0.isInterrupted = true }
        state.signal()
    }

    public func resume() { state.withLock { $0.isInterrupted = false } }

    public func close() {
        state.withLock { $0.close() }
        state.signal()
    }
}

extension HTTPSource: TransferReceiver {
    func transfer(_ id: TransferID, answered head: ResponseHead) -> HeadVerdict {
        defer { state.signal() }
        return state.withLock { $0.answered(id, head, receiver: self) }
    }

    func transfer(_ id: TransferID, received bytes: UnsafeRawBufferPointer) -> BodyVerdict {
        defer { state.signal() }
        return state.withLock { $0.received(id, bytes) }
    }

    func transfer(_ id: TransferID, ended end: TransferEnd) {
        state.withLock { $0.ended(id, end, receiver: self) }
        state.signal()
    }
}
