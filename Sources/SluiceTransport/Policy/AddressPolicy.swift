internal import Glibc

/// A resolved network address: what a connection really goes to, whatever the URL says.
public struct NetworkAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 (IPv4) or 16 (IPv6) bytes in network order.
    public let bytes: [UInt8]
    public let port: Int

    public init(bytes: [UInt8], port: Int) {
        self.bytes = bytes
        self.port = port
    }

    /// From `127.0.0.1` or `::1`; nil for names and anything else.
    public init?(text: String, port: Int) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: four) { Array($0) }, port: port)
            return
        }
        // A zone (`fe80::1%eth0`) names an interface, not an address.
        let plain = text.split(separator: "%", maxSplits: 1).first.map(String.init) ?? text
        var six = in6_addr()
        guard inet_pton(AF_INET6, plain, &six) == 1 else { return nil }
        self.init(bytes: withUnsafeBytes(of: six) { Array($0) }, port: port)
    }

    /// The IPv4 address inside an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`), else itself.
    public var unmapped: NetworkAddress {
        guard bytes.count == 16, bytes[0..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xff, bytes[11] == 0xff else {
            return self
        }
        return NetworkAddress(bytes: Array(bytes[12...]), port: port)
    }

    public var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") + ":\(port)" }
        let groups = stride(from: 0, to: bytes.count - 1, by: 2).map {
            String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
        }
        return "[\(groups.joined(separator: ":"))]:\(port)"
    }
}

/// Says which addresses may be talked to; asked for every connection, new or reused, and so after every redirect.
public struct AddressPolicy: Sendable {
    /// Runs on the network thread: must return at once.
    public let permits: @Sendable (NetworkAddress) -> Bool

    public init(_ permits: @escaping @Sendable (NetworkAddress) -> Bool) { self.permits = permits }

    /// Every address.
    public static let any = AddressPolicy { _ in true }
}
