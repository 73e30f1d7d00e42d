import SluiceCore

/// One line of an HTTP header.
public struct HeaderField: Sendable, Hashable {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Throws `.invalidOption` for what would break out of the line or is no field name (RFC 9110 §5.1, §5.5).
    func check() throws(NodeFailure) {
        let isToken =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        guard isToken else { throw NodeFailure(.invalidOption, "request header whose name is no token") }
        guard value.utf8.allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7f) }) else {
            throw NodeFailure(.invalidOption, "request header '\(name)' holds a control character")
        }
    }
}
