import SluiceTransport

/// Network addresses that agree in their first bits.
struct AddressRange: Sendable, Hashable {
    let bytes: [UInt8]
    let length: Int

    /// `10.0.0.0/8`, `fd00::/8`, or one address; nil for anything else.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.contains("%"), let address = NetworkAddress(text: String(first), port: 0)
        else { return nil }
        let bits = address.bytes.count * 8
        guard parts.count == 2 else {
            self.init(address.bytes, bits)
            return
        }
        guard let length = Int(parts[1]), (0...bits).contains(length), parts[1].utf8.allSatisfy({ $0 >= 48 }) else {
            return nil
        }
        self.init(address.bytes, length)
    }

    private init(_ bytes: [UInt8], _ length: Int) {
        self.bytes = bytes
        self.length = length
    }

    func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        let (whole, rest) = (length / 8, length % 8)
        guard address[..<whole] == bytes[..<whole] else { return false }
        return rest == 0 || (address[whole] ^ bytes[whole]) >> UInt8(8 - rest) == 0
    }

    /// IPv4 addresses that do not lie on the public network.
    ///
    /// - Note: RFC 6890 §2.2.2 and the IANA registry it set up; multicast and class E beside them.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3",
    ].compactMap { AddressRange($0) }

    /// Global unicast is handed out from here; what does not lie in it is loopback, private, link-local or multicast.
    private static let global = AddressRange("2000::/3")
    /// Protocol assignments (Teredo among them), documentation, and 6to4, which carries an IPv4 address.
    private static let reserved = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap {
        AddressRange($0)
    }

    /// Whether an address lies on the public network.
    static func isPublic(_ address: NetworkAddress) -> Bool {
        let bytes = address.unmapped.bytes
        switch bytes.count {
        case 4: return !special.contains { $0.contains(bytes) }
        case 16: return global?.contains(bytes) == true && !reserved.contains { $0.contains(bytes) }
        default: return false
        }
    }
}
