import SluiceCore
import SluiceTransport
import Testing

@testable import Sluice

@Suite struct SourcePolicyTests {
    @Test(arguments: [
        ("https://cdn.example.com", "https://cdn.example.com/a.mkv", true),
        ("https://cdn.example.com", "http://cdn.example.com/a.mkv", false),
        ("https://cdn.example.com", "https://cdn.example.com:8443/a.mkv", false),
        ("https://cdn.example.com", "https://cdn.example.com.evil.org/a.mkv", false),
        ("https://cdn.example.com", "https://evil.org/cdn.example.com", false),
        ("https://cdn.example.com", "https://cdn.example.com@evil.org/", false),
        ("cdn.example.com", "http://CDN.example.com/a", true),
        ("cdn.example.com:8080", "http://cdn.example.com:8080/a", true),
        ("cdn.example.com:8080", "http://cdn.example.com/a", false),
        ("*.example.com", "https://a.b.example.com/a", true),
        ("*.example.com", "https://example.com/a", false),
        ("*.example.com", "https://badexample.com/a", false),
        ("192.0.2.1", "http://192.0.2.1/a", true), ("10.0.0.0/8", "http://10.0.0.1/a", false),
        ("2001:db8::1", "http://[2001:db8::1]/a", true),
    ])
    func theListAdmitsByScheme(_ row: (entry: String, url: String, admits: Bool)) throws {
        let policy = try SourcePolicy(allowing: [row.entry])
        #expect(policy.permits(try WebURL(row.url)) == row.admits)
    }

    @Test(arguments: [
        "", "ftp://a", "http://a/path", "a b", "*", "a.*.b", "http://u@a", "a:99999", "10.0.0.0/40", "/etc",
    ])
    func entriesThatSayNothingClearAreRefused(_ entry: String) {
        let failure = #expect(throws: NodeFailure.self) { try SourcePolicy(allowing: [entry]) }
        #expect(failure?.code == .invalidOption)
    }

    @Test func withoutAListNothingIsAdmitted() {
        #expect(throws: NodeFailure.self) { try SourcePolicy.none.admit("http://example.com/") }
    }

    /// The registry of special addresses (RFC 6890), and IPv6 forms that carry an IPv4 address.
    @Test(arguments: [
        "127.0.0.1", "127.255.255.254", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",
        "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "fe80::1", "fc00::1",
        "fd12:3456::1", "fec0::1", "ff02::1", "2001:db8::1",
    ])
    func addressesThatAreNotPublicAreRefusedUnlessListed(_ text: String) throws {
        let address = try #require(NetworkAddress(text: text, port: 80))
        let policy = try SourcePolicy(allowing: ["*.example.com"])
        #expect(!policy.permits(address))
        let lenient = try SourcePolicy(allowing: ["*.example.com", "0.0.0.0/0", "::/0"])
        #expect(lenient.permits(address))
    }

    @Test(arguments: ["1.1.1.1", "8.8.8.8", "172.32.0.1", "192.167.255.255", "2606:4700::1111", "::ffff:8.8.8.8"])
    func publicAddressesArePermitted(_ text: String) throws {
        let address = try #require(NetworkAddress(text: text, port: 443))
        #expect(try SourcePolicy(allowing: ["example.com"]).permits(address))
    }

    @Test func aRangeCountsBits() throws {
        let range = try #require(AddressRange("10.32.0.0/11"))
        #expect(range.contains([10, 32, 0, 1]) && range.contains([10, 63, 255, 255]))
        #expect(!range.contains([10, 64, 0, 0]) && !range.contains([10, 31, 255, 255]))
        #expect(AddressRange("10.0.0.0/33") == nil && AddressRange("ten/8") == nil && AddressRange("10.0.0.0/") == nil)
    }
}
