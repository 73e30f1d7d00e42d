import Glibc
import Sluice
import SluiceGraph

/// What `serve` prints once it listens: the address to open first, then the titles. Pure but for the clock.
struct ServeAnnouncement {
    private let base: String
    private let query: String
    private let titles: [(source: String, master: String)]

    /// Titles named in the text; JSON has them all.
    private static let shown = 20
    /// Seconds that printed addresses are good for.
    private static let validity: Int64 = 7 * 86_400

    init(titles: [Engine.Source], access: AccessPolicy, address: String, port: UInt16, isSecure: Bool) {
        let host = address.contains(":") ? "[\(address)]" : address
        base = "\(isSecure ? "https" : "http")://\(host):\(port)/"
        let expiry = Int64(time(nil)) + Self.validity
        query = access.signature(for: .everything, expiry: expiry).map { "?v=\($0)" } ?? ""
        let base = base
        self.titles = titles.map { title in
            let token = access.signature(for: .title(title.components), expiry: expiry).map { "?v=\($0)" } ?? ""
            return (title.name, base + title.masterPath + token)
        }
    }

    var text: String {
        var lines = [base + query] + titles.prefix(Self.shown).map { "  \($0.source): \($0.master)" }
        if titles.count > Self.shown { lines.append("  and \(titles.count - Self.shown) more: the page lists them") }
        return lines.joined(separator: "\n")
    }

    var json: String {
        let list = titles.map {
            JSONValue.object([.init("source", .string($0.source)), .init("master", .string($0.master))])
        }
        return JSONValue.object([
            .init("event", .string("listening")), .init("url", .string(base + query)), .init("titles", .array(list)),
        ]).encoded()
    }

    /// What to say about an address that others reach.
    static func warning(address: String, isOpen: Bool, isPublic: Bool) -> String? {
        let isLocal = address.hasPrefix("127.") || address == "::1"
        guard isOpen, !isPublic, !isLocal else { return nil }
        return "everybody who reaches \(address) can watch; use --token, or --public to say that this is meant"
    }
}
