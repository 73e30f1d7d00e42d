import SluiceCore

/// Names one transfer of a `CurlLoop` for good; never reused.
typealias TransferID = UInt64

/// One HTTP GET as the network thread needs it.
struct TransferRequest: Sendable {
    var url: WebURL
    var headers: [HeaderField] = []
    /// First byte asked for; nil sends no `Range`.
    var rangeStart: Int64?
    /// A strong entity tag: the range is wanted only of that version.
    var ifRange: String?
    var userAgent = "sluice"
    var connectTimeout = Duration.seconds(10)
    /// Without a byte for this long the transfer is ended (behaviours RD-04); a paused one is not.
    var silenceTimeout = Duration.seconds(20)
    /// A transfer paused for this long gives its connection back.
    var parkAfter = Duration.seconds(30)
    /// Wait before the request goes out.
    var delay = Duration.zero
    var addressPolicy = AddressPolicy.any
    /// File of certificates trusted instead of the system's.
    var certificateAuthorities: String?
    /// Requests the host allows this origin at a time; nil for no limit but the learned one.
    var originLimit: Int?
}

/// Who gets what a transfer brings. Called on the network thread: every call must return at once.
protocol TransferReceiver: AnyObject, Sendable {
    func transfer(_ id: TransferID, answered head: ResponseHead) -> HeadVerdict
    /// The bytes are gone after the call. With `.pause` they were not taken and come again after a resume.
    func transfer(_ id: TransferID, received bytes: UnsafeRawBufferPointer) -> BodyVerdict
    /// Exactly once a transfer that was not cancelled; nothing follows.
    func transfer(_ id: TransferID, ended end: TransferEnd)
}

enum HeadVerdict: Sendable {
    /// Go on with the body; `mayPark` when it can be continued later by a range.
    case accept(mayPark: Bool)
    case stop
}

enum BodyVerdict: Sendable { case more, pause, stop }

enum TransferEnd: Sendable {
    /// The body ended where its framing says.
    case complete
    /// The receiver said `.stop`.
    case stopped
    /// Paused for too long; nothing is wrong.
    case parked
    case failed(TransferFault)
}

enum TransferFault: Sendable, Hashable {
    /// Could not connect, was reset, ended early.
    case connection(String)
    case silence(Duration)
    /// The address policy refused where the name leads.
    case addressRefused(String)
    /// The certificate or the handshake is not acceptable.
    case untrusted(String)
    case headTooLarge
    /// Too many transfers, no thread, no memory.
    case exhausted(String)
}
