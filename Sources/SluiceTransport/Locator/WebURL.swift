public import SluiceCore

/// An absolute http or https URL, split.
///
/// - Note: RFC 3986 §3; §5.2 for ``resolving(_:)``.
public struct WebURL: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https
        public var defaultPort: Int { self == .http ? 80 : 443 }
    }

    public let scheme: Scheme
    /// `user:password`, still percent-encoded. Used for the request, never for a message.
    let userInfo: String?
    /// Lowercased; an IPv6 address without its brackets.
    public let host: String
    /// As written; nil for the scheme's own.
    public let port: Int?
    /// Begins with `/`.
    public let path: String
    /// What follows `?`; it may hold a token and is never logged.
    public let query: String?

    /// Longest URL taken, in bytes.
    static let longest = 16 << 10

    public init(_ text: String) throws(NodeFailure) {
        guard text.utf8.count <= Self.longest else {
            throw NodeFailure(.invalidOption, "URL of \(text.utf8.count) bytes; at most \(Self.longest) are taken")
        }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://"),
            let scheme = Scheme(rawValue: text[..<colon].lowercased())
        else {
            throw NodeFailure(.invalidOption, "not an absolute http or https URL")
        }
        let rest = text[colon...].dropFirst(3)
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let tail = rest[authorityEnd...].prefix { $0 != "#" }
        let question = tail.firstIndex(of: "?") ?? tail.endIndex
        let query = question < tail.endIndex ? String(tail[question...].dropFirst()) : nil
        try self.init(scheme: scheme, authority: rest[..<authorityEnd], path: String(tail[..<question]), query: query)
    }

    private init(
        scheme: Scheme, authority: Substring, path: String, query: String?
    ) throws(NodeFailure) {
        let at = authority.lastIndex(of: "@")
        let userInfo = at.map { String(authority[..<$0]) }
        let hostPort = at.map { authority[authority.index(after: $0)...] } ?? authority
        let (host, port) = try Self.splitHost(hostPort)
        guard userInfo?.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != 0x5c }) ?? true else {
            throw NodeFailure(.invalidOption, "URL with an unreadable user part")
        }
        self.scheme = scheme
        self.userInfo = userInfo
        self.host = host
        self.port = port
        self.path = try Self.encoded(path.isEmpty ? "/" : path)
        if let query { self.query = try Self.encoded(query) } else { self.query = nil }
    }

    private init(_ base: WebURL, path: String, query: String?) throws(NodeFailure) {
        scheme = base.scheme
        userInfo = base.userInfo
        host = base.host
        port = base.port
        self.path = try Self.encoded(path)
        if let query { self.query = try Self.encoded(query) } else { self.query = nil }
    }

    public var effectivePort: Int { port ?? scheme.defaultPort }

    /// Scheme, host and effective port: what shares connections and budgets.
    public var origin: String { "\(scheme.rawValue)://\(bracketedHost):\(effectivePort)" }

    /// For messages: no user, no password, no query.
    public var redacted: String {
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme.rawValue)://\(bracketedHost)\(port)\(path)\(query == nil ? "" : "?…")"
    }

    /// The whole URL with its secrets, for requests only.
    package var absolute: String {
        let user = userInfo.map { "\($0)@" } ?? ""
        let port = port.map { ":\($0)" } ?? ""
        return "\(scheme.rawValue)://\(user)\(bracketedHost)\(port)\(path)\(query.map { "?\($0)" } ?? "")"
    }

    /// `reference` (absolute, `//host/…`, `/path`, `path`, `?query`) seen from here.
    public func resolving(_ reference: String) throws(NodeFailure) -> WebURL {
        let text = trimmed(reference)
        guard text.utf8.count <= Self.longest else {
            throw NodeFailure(.transport, "\(redacted): reference of \(text.utf8.count) bytes")
        }
        if let scheme = SourceLocator.scheme(of: text) {
            guard scheme == "http" || scheme == "https" else {
                throw NodeFailure(.accessDenied, "\(redacted): leads to scheme '\(scheme)'; expected http or https")
            }
            return try WebURL(text)
        }
        if text.hasPrefix("//") { return try WebURL("\(scheme.rawValue):\(text)") }
        let bare = String(text.prefix { $0 != "#" })
        let question = bare.firstIndex(of: "?") ?? bare.endIndex
        let newQuery = question < bare.endIndex ? String(bare[question...].dropFirst()) : nil
        let newPath = String(bare[..<question])
        if newPath.isEmpty { return try WebURL(self, path: path, query: newQuery ?? query) }
        let folder = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        let merged = newPath.hasPrefix("/") ? newPath : folder + newPath
        return try WebURL(self, path: Self.withoutDots(merged), query: newQuery)
    }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }

    private static func splitHost(_ text: Substring) throws(NodeFailure) -> (String, Int?) {
        var host = text
        var portText: Substring?
        if text.hasPrefix("[") {
            guard let close = text.firstIndex(of: "]") else {
                throw NodeFailure(.invalidOption, "URL host '[' without ']'")
            }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw NodeFailure(.invalidOption, "URL host is not readable")
            }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            guard NetworkAddress(text: String(host), port: 0)?.bytes.count == 16, !host.contains("%") else {
                throw NodeFailure(.invalidOption, "URL host in brackets is not an IPv6 address")
            }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            portText = text[text.index(after: colon)...]
        }
        guard !host.isEmpty, host.utf8.count <= 255,
            host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f && !"\\/?#@<>\"^`{|}%".utf8.contains($0) })
        else { throw NodeFailure(.invalidOption, "URL without a usable host") }
        guard let portText, !portText.isEmpty else { return (host.lowercased(), nil) }
        guard let port = decimal(portText), (1...65_535).contains(port) else {
            throw NodeFailure(.invalidOption, "URL port is not a number in 1...65535")
        }
        return (host.lowercased(), Int(port))
    }

    /// Percent-encodes blanks and bytes beyond ASCII, which people and servers leave in; refuses control characters.
    private static func encoded(_ text: String) throws(NodeFailure) -> String {
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) { return text }
        var out: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            guard byte >= 0x20, byte != 0x7f else {
                throw NodeFailure(.invalidOption, "URL with the control character \(byte)")
            }
            if byte == 0x20 || byte >= 0x80 {
                out += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                out.append(byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func withoutDots(_ path: String) -> String {
        var out: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch part {
            case ".": if isLast { out.append("") }
            case "..":
                _ = out.popLast()
                if isLast { out.append("") }
            default: out.append(part)
            }
        }
        return "/" + out.joined(separator: "/")
    }
}
