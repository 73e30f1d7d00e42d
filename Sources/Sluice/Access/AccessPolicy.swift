import SluiceAV

/// Who may ask: everybody, or whoever shows a token or an address signed with it.
///
/// A signed address carries `v=<expiry>-<signature>`: seconds since 1970, and 32 hexadecimal digits over the expiry and
/// what it admits to: one title, or all.
public struct AccessPolicy: Sendable {
    /// What a signature admits to.
    public enum Scope: Sendable, Hashable {
        case everything
        /// The source's path components, the root's name first.
        case title([String])

        fileprivate var text: String {
            switch self {
            case .everything: "/"
            case .title(let components): "/v1/" + components.joined(separator: "/")
            }
        }
    }

    /// Everybody may ask for everything.
    public static let open = AccessPolicy(key: nil, token: [])

    private let key: [UInt8]?
    private let token: [UInt8]

    private init(key: [UInt8]?, token: [UInt8]) {
        self.key = key
        self.token = token
    }

    /// - Parameter token: shown as `Authorization: Bearer <token>`; signatures are made with it, so that all servers
    ///   with one token accept the same addresses.
    public init(token: String) {
        let bytes = Array(token.utf8)
        self.init(key: MessageAuthentication.sha256(Array("sluice-address-1".utf8), key: bytes), token: bytes)
    }

    public var isOpen: Bool { key == nil }

    /// The value of `v`; nil where none is needed.
    ///
    /// - Parameter expiry: seconds since 1970.
    public func signature(for scope: Scope, expiry: Int64) -> String? {
        key.map { "\(max(0, expiry))-\(Self.digits(expiry: max(0, expiry), scope, key: $0))" }
    }

    /// Whether a request may have what lies in `scope`.
    ///
    /// - Parameter now: seconds since 1970.
    public func admits(_ request: Request, to scope: Scope, now: Int64) -> Bool {
        guard let key else { return true }
        if let shown = request.headers["Authorization"] {
            let parts = shown.split(separator: " ", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "bearer" && Self.areEqual(Array(parts[1].utf8), token)
        }
        guard let value = Self.viewerToken(request) else { return false }
        // A third part may name the viewer.
        let parts = value.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0].utf8.allSatisfy({ (48...57).contains($0) }), let expiry = Int64(parts[0]),
            now <= expiry
        else { return false }
        // Both are compared, so that the time taken says nothing.
        let shown = Array(parts[1].utf8)
        let here = Self.areEqual(shown, Array(Self.digits(expiry: expiry, scope, key: key).utf8))
        let everywhere = Self.areEqual(shown, Array(Self.digits(expiry: expiry, .everything, key: key).utf8))
        return here || everywhere
    }

    /// The `v` of a request: letters, digits, `.`, `-` and `_`, at most 128 of them; nil for anything else.
    static func viewerToken(_ request: Request) -> String? {
        guard let value = request.query.first(where: { $0.name == "v" })?.value, (1...128).contains(value.utf8.count),
            value.utf8.allSatisfy({ byte in
                switch byte {
                case 45, 46, 48...57, 65...90, 95, 97...122: true
                default: false
                }
            })
        else { return nil }
        return value
    }

    private static func digits(expiry: Int64, _ scope: Scope, key: [UInt8]) -> String {
        MessageAuthentication.sha256(Array("\(expiry)\n\(scope.text)".utf8), key: key).prefix(16)
            .map { byte in
                let text = String(byte, radix: 16)
                return text.utf8.count == 1 ? "0" + text : text
            }
            .joined()
    }

    /// In a time that depends on the lengths only.
    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
