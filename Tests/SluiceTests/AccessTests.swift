import SluiceAV
import SluiceCore
import Testing

@testable import Sluice

@Suite struct AccessTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// RFC 4231 §4.2, §4.3 and §4.7 (a key longer than a block).
    @Test func authenticatesAsTheStandardSays() {
        let first = MessageAuthentication.sha256(Array("Hi There".utf8), key: [UInt8](repeating: 0x0b, count: 20))
        #expect(hex(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = MessageAuthentication.sha256(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(hex(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let third = MessageAuthentication.sha256(
            Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xaa, count: 131))
        #expect(hex(third) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    private func request(_ query: String?, bearer: String? = nil) -> Request {
        var headers = Headers()
        headers["Authorization"] = bearer
        return Request(path: "/v1/films/a.mkv/~/master.m3u8", queryText: query, headers: headers)
    }

    @Test func aTokenOrASignatureForTheTitleAdmitsUntilItExpires() throws {
        let policy = AccessPolicy(token: "correct horse")
        let film = AccessPolicy.Scope.title(["films", "a.mkv"])
        let signature = try #require(policy.signature(for: film, expiry: 1_000))
        let all = try #require(policy.signature(for: .everything, expiry: 1_000))
        #expect(policy.admits(request(nil, bearer: "Bearer correct horse"), to: film, now: 5_000))
        #expect(policy.admits(request("v=\(signature)"), to: film, now: 1_000))
        #expect(policy.admits(request("v=\(signature)-tv1"), to: film, now: 1_000), "a viewer's name may follow")
        #expect(policy.admits(request("x=1&v=\(all)"), to: film, now: 1_000))

        #expect(!policy.admits(request(nil), to: film, now: 0))
        #expect(!policy.admits(request("v=\(signature)"), to: film, now: 1_001), "expired")
        #expect(!policy.admits(request("v=\(signature)"), to: .title(["films", "b.mkv"]), now: 0))
        #expect(!policy.admits(request("v=\(signature)"), to: .everything, now: 0))
        #expect(!policy.admits(request("v=2000\(signature.dropFirst(4))"), to: film, now: 0), "a later expiry")
        #expect(!policy.admits(request("v=\(signature.dropLast())0"), to: film, now: 0) || signature.hasSuffix("0"))
        for wrong in ["correct", "correct horse ", "Correct horse", ""] {
            #expect(!policy.admits(request(nil, bearer: "Bearer \(wrong)"), to: film, now: 0))
        }
        #expect(!policy.admits(request("v=\(signature)", bearer: "Basic correct horse"), to: film, now: 0))
        let other = AccessPolicy(token: "another one")
        #expect(!other.admits(request("v=\(signature)"), to: film, now: 0))
        for broken in ["", "-", "--", "1000", "1000-", "x-\(signature)", "99999999999999999999-00", "%00", "a%20b"] {
            #expect(!policy.admits(request("v=\(broken)"), to: film, now: 0))
        }
        #expect(AccessPolicy.open.admits(request(nil), to: film, now: 0))
        #expect(AccessPolicy.open.signature(for: film, expiry: 1) == nil)
    }

    @Test func addressesInAPlaylistCarryTheTokenOn() {
        let text = """
            #EXTM3U
            #EXT-X-MAP:URI="video/init-0.mp4"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="a",URI="1/audio-1.m3u8",GROUP-ID="g"
            #EXTINF:4.0,
            video/seg-0.m4s

            """
        #expect(
            SignedPlaylist.text(text, token: "7-ab") == """
                #EXTM3U
                #EXT-X-MAP:URI="video/init-0.mp4?v=7-ab"
                #EXT-X-MEDIA:TYPE=AUDIO,NAME="a",URI="1/audio-1.m3u8?v=7-ab",GROUP-ID="g"
                #EXTINF:4.0,
                video/seg-0.m4s?v=7-ab

                """)
    }

    /// RFC 4648 §10, in the alphabet of §5 and without padding.
    @Test func base64URLGoesBothWaysAndHasOneFormOnly() {
        for (plain, packed) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64URL.encode(Array(plain.utf8)) == packed)
            #expect(Base64URL.decode(packed) == Array(plain.utf8))
        }
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        for wrong in ["Zg==", "Zh", "Z", "Zm9+", "Zm9/", "Zm 9"] { #expect(Base64URL.decode(wrong) == nil, "\(wrong)") }
    }
}
