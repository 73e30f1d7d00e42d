/// Where the server listens, and what a client may use of it.
public struct ServerOptions: Sendable, Hashable {
    /// Numeric IPv4 or IPv6 address; every interface is `0.0.0.0` or `::`.
    public var address = "127.0.0.1"
    /// 0 takes a free port, reported by `MicrohttpdServer.port`.
    public var port: UInt16 = 8080
    /// Threads that serve sockets. Waiting requests hold none of them, so a few serve thousands of connections.
    public var threads = 2
    public var connections = 4096
    /// 0 for no bound, as behind a proxy, where all clients share an address.
    public var connectionsPerAddress = 0
    /// A connection without traffic is closed after this; whole seconds.
    public var idleTimeout: Duration = .seconds(60)
    /// From a connection's start, or the end of an answer, to the end of the next request's headers and body, however
    /// the bytes trickle in.
    public var requestTimeout: Duration = .seconds(60)
    /// A body may take ``requestTimeout`` and the time that this many bytes a second take; slower clients are cut off.
    public var slowestRate = 4 * 1024
    /// Certificate chain and private key as PEM texts; both nil for plain HTTP.
    public var certificate: String?
    public var privateKey: String?
    /// Bytes of request line and headers together; more is answered with 414 or 431.
    public var headerBytes = 32 * 1024
    /// What libmicrohttpd has for a connection: the request's header, and what it notes of it and of the answer.
    var connectionBytes: Int { max(4_096, headerBytes) }
    /// Bytes of a request's body; more is answered with 413.
    public var bodyBytes = 64 * 1024
    /// A request that has no answer after this is answered with 503.
    public var responseDeadline: Duration = .seconds(60)

    public init() {}
}
