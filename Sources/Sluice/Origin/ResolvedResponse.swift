/// A response after the request's conditions and range were applied: exactly what goes on the wire.
public struct ResolvedResponse: Sendable {
    public let status: Int
    public let headers: Headers
    public let body: Response.Body
    /// The offsets of `body` that are sent; also for HEAD, where only their number is told.
    public let range: Range<Int64>

    /// Applies `If-None-Match`, `If-Range` and `Range` to a 200; other responses pass through.
    ///
    /// - Note: RFC 9110 §13.1.2, §13.1.5, §13.2.2 and §14.2 (a range counts only in GET).
    public init(_ response: Response, for request: Request) {
        let size = response.body.size
        var headers = response.headers
        guard response.status == 200, request.method == .get || request.method == .head else {
            self.init(response.status, headers, response.body, 0..<size)
            return
        }
        let tag = headers["ETag"]
        if let tag, let known = request.headers["If-None-Match"], Self.lists(known, tag) {
            headers["Content-Type"] = nil
            self.init(304, headers, .none, 0..<0)
            return
        }
        if case .none = response.body {
            self.init(200, headers, .none, 0..<0)
            return
        }
        if headers["Accept-Ranges"] == nil { headers["Accept-Ranges"] = "bytes" }
        var wanted = request.method == .get ? request.headers["Range"] : nil
        if let condition = request.headers["If-Range"], condition != tag || condition.hasPrefix("W/") { wanted = nil }

        switch ByteRange(header: wanted, size: size) {
        case .whole:
            self.init(200, headers, response.body, 0..<size)
        case .part(let part):
            headers["Content-Range"] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)"
            self.init(206, headers, response.body, part)
        case .unsatisfiable:
            headers["Content-Range"] = "bytes */\(size)"
            headers["Content-Type"] = nil
            self.init(416, headers, .none, 0..<0)
        }
    }

    private init(_ status: Int, _ headers: Headers, _ body: Response.Body, _ range: Range<Int64>) {
        self.status = status
        self.headers = headers
        self.body = body
        self.range = range
    }

    /// Whether the entity tag is in an `If-None-Match` list, compared weakly.
    private static func lists(_ list: String, _ tag: String) -> Bool {
        if list == "*" { return true }
        let opaque = tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
        return list.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " }
            while item.last == " " { item.removeLast() }
            return (item.hasPrefix("W/") ? item.dropFirst(2) : item) == opaque
        }
    }
}
