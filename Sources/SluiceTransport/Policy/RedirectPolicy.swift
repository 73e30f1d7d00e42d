import SluiceCore

/// Which redirects are followed, and with which of the caller's headers.
///
/// - Note: behaviours RD-23; RFC 9110 §15.4.
struct RedirectPolicy: Sendable {
    /// Redirects followed for one request.
    var hopLimit = 10

    struct Hop: Sendable, Hashable {
        var url: WebURL
        var headers: [HeaderField]
    }

    /// Headers that prove who asks; they stay within the origin they were given for.
    static let credentials: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "x-emby-token", "x-emby-authorization",
        "x-mediabrowser-token",
    ]

    static func isRedirect(status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The request that follows from `location`, the answer to request number `hop` (0 first) of `url`.
    func follow(
        _ location: String?, from url: WebURL, headers: [HeaderField], hop: Int
    ) throws(NodeFailure) -> Hop {
        guard hop < hopLimit else {
            throw NodeFailure(.transport, "\(url.redacted): more than \(hopLimit) redirects")
        }
        guard let location, !location.isEmpty else {
            throw NodeFailure(.transport, "\(url.redacted): redirect without a Location")
        }
        let target = try url.resolving(location)
        return Hop(url: target, headers: Self.headers(headers, from: url, to: target))
    }

    /// `headers` as far as `target` may see them.
    static func headers(_ headers: [HeaderField], from url: WebURL?, to target: WebURL) -> [HeaderField] {
        let keepsCredentials = url.map { mayShareCredentials($0, target) } ?? false
        let sameHost = url?.host == target.host
        return headers.filter { field in
            let name = field.name.lowercased()
            if name == "host" { return sameHost }
            return keepsCredentials || !credentials.contains(name)
        }
    }

    static func mayShareCredentials(_ url: WebURL, _ target: WebURL) -> Bool {
        guard url.host == target.host else { return false }
        if url.scheme == target.scheme { return url.effectivePort == target.effectivePort }
        return url.scheme == .http && target.scheme == .https
    }
}
