public import SluiceCore

/// One HTTP response, whichever server sends it. `Content-Length` and `Date` are the server's business.
public struct Response: Sendable {
    public enum Body: Sendable {
        case none
        case bytes([UInt8])
        /// Pieces of memory that are sent in order and never joined.
        case chunks([ByteChunk])
        /// The first `size` bytes of a regular file, which the kernel copies to the socket.
        case file(path: String, size: Int64)
        /// A file that is open already, whole.
        case open(OpenFile)
    }

    public var status: Int
    public var headers: Headers
    public var body: Body

    public init(status: Int = 200, headers: Headers = Headers(), body: Body = .none) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A body with its media type.
    public init(status: Int = 200, type: String, body: Body) {
        self.init(status: status, headers: ["Content-Type": type], body: body)
    }

    public static func text(_ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8") -> Response {
        Response(status: status, type: type, body: .bytes(Array(text.utf8)))
    }

    public static func notFound(_ reason: String) -> Response { .text(reason + "\n", status: 404) }
    public static func badRequest(_ reason: String) -> Response { .text(reason + "\n", status: 400) }
    public static func gone(_ reason: String) -> Response { .text(reason + "\n", status: 410) }

    /// 503 with the seconds after which asking again makes sense.
    public static func unavailable(_ reason: String, retryAfter seconds: Int) -> Response {
        var response = Response.text(reason + "\n", status: 503)
        response.headers["Retry-After"] = "\(seconds)"
        response.headers["Cache-Control"] = "no-store"
        return response
    }

    public static func redirect(to location: String, status: Int = 302) -> Response {
        Response(status: status, headers: ["Location": location])
    }
}

extension Response.Body {
    /// Bytes in all.
    public var size: Int64 {
        switch self {
        case .none: 0
        case .bytes(let bytes): Int64(bytes.count)
        case .chunks(let chunks): Int64(chunks.byteTotal)
        case .file(_, let size): max(0, size)
        case .open(let file): file.size
        }
    }
}

/// Turns requests into responses. A server calls it concurrently, and cancels the task when the client has gone.
public protocol RequestResponder: Sendable {
    func respond(to request: Request) async -> Response
}
