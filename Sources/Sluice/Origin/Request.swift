/// One HTTP request, whichever server read it.
public struct Request: Sendable, Hashable {
    public struct Method: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public var description: String { rawValue }
        public static let get = Method(rawValue: "GET")
        public static let head = Method(rawValue: "HEAD")
        public static let post = Method(rawValue: "POST")
        public static let options = Method(rawValue: "OPTIONS")
    }

    public struct QueryItem: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    public var method: Method
    /// The path as it was sent: still percent-encoded, without the query.
    public var path: String
    /// What followed the `?`, as it was sent; nil without one.
    public var queryText: String?
    public var headers: Headers
    /// Empty for methods without a body. The server bounds it.
    public var body: [UInt8]
    /// Numeric address of the client, where the server knows it.
    public var peer: String?

    public init(
        method: Method = .get, path: String, queryText: String? = nil, headers: Headers = Headers(), body: [UInt8] = [],
        peer: String? = nil
    ) {
        self.method = method
        self.path = path
        self.queryText = queryText
        self.headers = headers
        self.body = body
        self.peer = peer
    }

    /// Splits a request target, in origin or absolute form, into path and query; nil where it is neither.
    ///
    /// - Note: RFC 9112 §3.2.
    public init?(method: Method, target: String, headers: Headers = Headers(), body: [UInt8] = [], peer: String? = nil)
    {
        var rest = target[...]
        for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
            let authority = rest.dropFirst(scheme.count)
            rest = authority.firstIndex(of: "/").map { authority[$0...] } ?? "/"
        }
        if rest.first != "/" {
            guard rest == "*", method == .options else { return nil }
        }
        let mark = rest.firstIndex(of: "?")
        self.init(
            method: method, path: String(mark.map { rest[..<$0] } ?? rest),
            queryText: mark.map { String(rest[rest.index(after: $0)...]) }, headers: headers, body: body, peer: peer)
    }

    /// The decoded components of the path: `/a%20b/c` is `["a b", "c"]`, `/` is `[]`, a final `/` gives a last `""`.
    ///
    /// Nil where an escape is broken, or where a component cannot be a file's name: `.`, `..`, an encoded `/` or NUL.
    public var pathComponents: [String]? {
        guard path.first == "/" else { return nil }
        let parts = path.dropFirst()
        guard !parts.isEmpty else { return [] }
        var components: [String] = []
        for part in parts.split(separator: "/", omittingEmptySubsequences: false) {
            guard let name = PercentEncoding.decode(part), name != ".", name != "..", !name.contains("/") else {
                return nil
            }
            components.append(name)
        }
        return components
    }

    /// The decoded items of the query in order; items with broken escapes are left out.
    public var query: [QueryItem] {
        (queryText ?? "").split(separator: "&").prefix(Headers.limit).compactMap { item in
            let mark = item.firstIndex(of: "=")
            guard let name = PercentEncoding.decode(mark.map { item[..<$0] } ?? item, plusIsSpace: true),
                let value = PercentEncoding.decode(
                    mark.map { item[item.index(after: $0)...] } ?? "", plusIsSpace: true)
            else { return nil }
            return QueryItem(name: name, value: value)
        }
    }
}
