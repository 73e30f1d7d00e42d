public import SluiceCore
import SluiceTransport

/// Which remote sources requests may name: an allow list, asked again for every redirect and every address.
///
/// An entry is `[scheme://]host[:port]`, where a host of the form `*.example.com` stands for every name below it; a port
/// that is left out is the scheme's own. An entry that is an address or a range (`10.0.0.0/8`) lets names resolve to
/// addresses that are not public; as an entry it admits no name.
public struct SourcePolicy: Sendable {
    private struct Rule: Sendable {
        var scheme: WebURL.Scheme?
        /// Lowercased; begins with `.` where it stands for the names below.
        var host: String
        var port: Int?

        func admits(_ url: WebURL) -> Bool {
            guard scheme == nil || scheme == url.scheme, url.effectivePort == port ?? url.scheme.defaultPort else {
                return false
            }
            return host.hasPrefix(".") ? url.host.hasSuffix(host) && url.host.count > host.count : url.host == host
        }
    }

    /// No remote source at all.
    public static let none = SourcePolicy()

    private var rules: [Rule] = []
    private var ranges: [AddressRange] = []

    private init() {}

    /// - Throws: `.invalidOption` for an entry that cannot be read.
    public init(allowing entries: [String]) throws(NodeFailure) {
        for entry in entries {
            if let range = AddressRange(entry) {
                ranges.append(range)
                // One address may be named as well.
                if !entry.contains("/") { rules.append(try Self.rule(entry.contains(":") ? "[\(entry)]" : entry)) }
                continue
            }
            rules.append(try Self.rule(entry))
        }
    }

    /// The entry that admits one URL's host and port.
    ///
    /// - Throws: `.invalidOption` for what is no web URL.
    public static func entry(for url: String) throws(NodeFailure) -> String {
        let url = try WebURL(url)
        return url.origin
    }

    public var isEmpty: Bool { rules.isEmpty }

    private static func rule(_ entry: String) throws(NodeFailure) -> Rule {
        let refusal = NodeFailure(
            .invalidOption, "allow list entry '\(entry)'; expected [scheme://]host[:port] or an address range")
        let hasScheme = entry.contains("://")
        let isWild = entry.hasPrefix("*.") || entry.contains("://*.")
        let plain = isWild ? entry.replacing("*.", with: "", maxReplacements: 1) : entry
        guard let url = try? WebURL(hasScheme ? plain : "http://" + plain), url.path == "/", url.query == nil,
            !plain.contains("*"), !plain.contains("@"), !plain.hasSuffix("/")
        else { throw refusal }
        return Rule(
            scheme: hasScheme ? url.scheme : nil, host: isWild ? "." + url.host : url.host, port: url.port)
    }

    /// The URL of a request's source.
    ///
    /// - Throws: `.accessDenied` for what the list does not admit, `.invalidOption` for what is no web URL.
    func admit(_ text: String) throws(NodeFailure) -> String {
        let url = try WebURL(text)
        guard permits(url) else {
            throw NodeFailure(.accessDenied, "\(url.redacted): not on the allow list of remote sources")
        }
        return text
    }

    func permits(_ url: WebURL) -> Bool {
        rules.contains { $0.admits(url) }
    }

    func permits(_ address: NetworkAddress) -> Bool {
        AddressRange.isPublic(address) || ranges.contains { $0.contains(address.unmapped.bytes) }
    }

    /// What the transport asks while it follows redirects and connects.
    var transportOptions: TransportOptions {
        var options = TransportOptions()
        let policy = self
        options.addressPolicy = AddressPolicy { policy.permits($0) }
        options.redirectPermission = { policy.permits($0) }
        return options
    }
}
