import SluiceCore

/// What an ``HTTPSource`` knows and decides; every method runs under its lock.
///
/// It talks to the loop from there: those calls only append a command. The loop never holds its own lock when it calls
/// back, so the order "source, then loop" is the only one.
struct HTTPFetch {
    enum ReadStep {
        case done(Int)
        case again
    }

    enum Phase {
        /// Nothing under way: not begun, parked, or all there is has come.
        case idle
        case fetching(TransferID)
        case paused(TransferID)
        /// A body of unstated length came to its end.
        case ended
        case failed(NodeFailure)
    }

    let url: WebURL
    let headers: [HeaderField]
    let options: TransportOptions
    let loop: CurlLoop

    var phase = Phase.idle
    var window: ByteWindow
    var ladder: RetryLadder
    var isOpen = false
    var isClosed = false
    var isInterrupted = false
    var deadline: ContinuousClock.Instant?
    var deadlineVersion: UInt64 = 0
    var deadlineFired = false

    var size: Int64?
    var validator: EntityValidator?
    var contentType: String?
    /// Whether the origin answers ranges, as far as it has shown.
    var takesRanges = false
    /// The exclusive end the current answer promised; nil where its length is open.
    var answerEnd: Int64?
    /// Where the current request goes and with which of the caller's headers; the original until redirected.
    var target: RedirectPolicy.Hop
    /// The redirected target that has answered well; asked first from then on.
    var pinned: RedirectPolicy.Hop?
    var hops = 0
    /// Some origins refuse any `Range`: set after a refusal at byte 0, for one plain GET (behaviours RD-12).
    var asksPlainly = false
    var lastFailure: NodeFailure?
    var requests = 0
    var retries = 0
    var receivedBytes: Int64 = 0

    init(_ url: WebURL, headers: [HeaderField], options: TransportOptions, loop: CurlLoop) {
        self.url = url
        self.headers = headers
        self.options = options
        self.loop = loop
        window = ByteWindow(limits: options.window)
        ladder = RetryLadder(options.retry)
        target = RedirectPolicy.Hop(url: url, headers: headers)
    }

    /// Without a size nobody can look for what sits at the end (behaviours RD-19).
    var isSeekable: Bool { takesRanges && size != nil }

    var statistics: HTTPSource.Statistics {
        HTTPSource.Statistics(
            requests: requests, retries: retries, receivedBytes: receivedBytes, peakWindowBytes: window.peakBytes,
            aheadBytes: window.ahead)
    }

    // MARK: The reader's thread

    /// True once the origin has answered well; begins the first request.
    mutating func checkOpen(receiver: any TransferReceiver) throws(NodeFailure) -> Bool {
        try checkStopped()
        if isOpen { return true }
        if case .idle = phase { start(at: 0, receiver: receiver) }
        try checkFailed()
        return false
    }

    /// Bytes delivered, 0 at the end, nil when they have to be waited for.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, receiver: any TransferReceiver
    ) throws(NodeFailure) -> Int? {
        try checkStopped()
        if deadlineFired { throw NodeFailure(.timedOut, "\(url.redacted): byte \(offset) not there in time") }
        // Decided before anything is asked for (behaviours RD-09, RX-11).
        if let size, offset >= size { return 0 }
        let count = window.read(into: buffer, at: offset)
        if count > 0 {
            demand(receiver)
            return count
        }
        switch phase {
        case .failed(let failure): throw failure
        case .ended where offset >= window.end: return 0
        default: break
        }
        let isContinuation = offset >= window.start && (window.isNear(offset) || (isOpen && !isSeekable))
        if offset == window.end || (isContinuation && !isIdle) {
            window.move(to: offset)
            demand(receiver)
            try checkFailed()
            return nil
        }
        guard isOpen else {
            if isIdle { start(at: 0, receiver: receiver) }
            try checkFailed()
            return nil
        }
        guard isSeekable else {
            throw NodeFailure(
                .unsupported,
                "\(url.redacted): byte \(offset) asked for at \(window.position) of a single pass; the origin takes no ranges"
            )
        }
        cancelTransfer()
        window.reset(at: offset)
        hops = 0
        start(at: offset, receiver: receiver)
        try checkFailed()
        return nil
    }

    mutating func close() {
        isClosed = true
        cancelTransfer()
        window.reset(at: 0)
    }

    private func checkStopped() throws(NodeFailure) {
        if isClosed { throw NodeFailure(.cancelled, "\(url.redacted): closed") }
        if isInterrupted { throw NodeFailure(.cancelled, "\(url.redacted): interrupted") }
    }

    /// A request that could not even be begun has nobody to wake its waiting reader.
    private func checkFailed() throws(NodeFailure) {
        if case .failed(let failure) = phase { throw failure }
    }

    private var isIdle: Bool { if case .idle = phase { true } else { false } }

    // MARK: Requests

    /// Receives on, or asks for more, when the reader is near the end of what is held.
    mutating func demand(_ receiver: any TransferReceiver) {
        guard window.wantsMore else { return }
        switch phase {
        case .paused(let id):
            phase = .fetching(id)
            loop.resume(id)
        case .idle:
            if let size, window.end >= size { return }
            start(at: window.end, receiver: receiver)
        default: break
        }
    }

    mutating func start(at offset: Int64, after delay: Duration = .zero, receiver: any TransferReceiver) {
        guard !isClosed else { return }
        if hops == 0 { target = pinned ?? RedirectPolicy.Hop(url: url, headers: headers) }
        let isPlain = asksPlainly && offset == 0
        let request = TransferRequest(
            url: target.url, headers: target.headers, rangeStart: isPlain ? nil : offset,
            ifRange: offset > 0 ? validator?.strongTag : nil, userAgent: options.userAgent,
            connectTimeout: options.connectTimeout, silenceTimeout: options.silenceTimeout,
            parkAfter: options.parkAfter, delay: delay, addressPolicy: options.addressPolicy,
            certificateAuthorities: options.certificateAuthorities, originLimit: options.originLimit)
        let id = loop.reserveID()
        answerEnd = nil
        requests &+= 1
        if loop.start(id, request, receiver: receiver) {
            phase = .fetching(id)
        } else {
            fail(NodeFailure(.exhausted, "\(url.redacted): too many transfers", isTransient: true))
        }
    }

    mutating func cancelTransfer() {
        switch phase {
        case .fetching(let id), .paused(let id):
            loop.cancel(id)
            phase = .idle
        default: break
        }
    }

    func isCurrent(_ id: TransferID) -> Bool {
        guard !isClosed else { return false }
        switch phase {
        case .fetching(let current), .paused(let current): return current == id
        default: return false
        }
    }

    mutating func fail(_ failure: NodeFailure) {
        lastFailure = failure
        phase = .failed(failure)
    }

    /// Tries again where the ladder allows it, else gives up with `failure`.
    mutating func charge(
        _ kind: RetryLadder.Failure, _ failure: NodeFailure, retryAfter: Duration? = nil,
        receiver: any TransferReceiver
    ) {
        lastFailure = failure
        hops = 0
        guard takesRanges || window.end == 0 else {
            // What was delivered cannot be skipped without a range (behaviours RD-10).
            return fail(failure)
        }
        switch ladder.failed(kind, retryAfter: retryAfter) {
        case .giveUp: fail(failure)
        case .retry(let delay):
            if ladder.streak >= 2 { pinned = nil }
            retries &+= 1
            start(at: window.end, after: delay, receiver: receiver)
        }
    }
}
