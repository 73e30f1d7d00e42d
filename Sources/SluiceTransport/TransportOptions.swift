/// How sources are opened; the defaults are those of a server that plays from the network.
public struct TransportOptions: Sendable {
    /// Sent as `User-Agent`.
    public var userAgent = "sluice"
    /// For the TCP and TLS handshakes of one connection: 10 s.
    public var connectTimeout = Duration.seconds(10)
    /// Without a byte for this long a connection is replaced (behaviours RD-04): 20 s.
    public var silenceTimeout = Duration.seconds(20)
    /// For the whole opening, retries and redirects included: 35 s, one silent connection and its retry.
    public var openTimeout = Duration.seconds(35)
    /// A connection whose reader does not read for this long is given back: 30 s.
    public var parkAfter = Duration.seconds(30)
    public var window = WindowLimits()
    public var retry = RetryPolicy()
    /// Redirects followed for one request: 10.
    public var redirectLimit = 10
    /// Asked for every address a connection goes to.
    public var addressPolicy = AddressPolicy.any
    /// Asked for every URL that a redirect leads to; runs on the network thread and must return at once.
    public var redirectPermission: @Sendable (WebURL) -> Bool = { _ in true }
    /// A PEM file of certificates trusted instead of the system's; nil for the system's.
    public var certificateAuthorities: String?
    /// Requests the host allows one origin at a time; nil where it set no limit.
    public var originLimit: Int?

    public init() {}
}
