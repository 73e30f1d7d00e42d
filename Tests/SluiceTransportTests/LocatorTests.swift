import SluiceCore
import Testing

@testable import SluiceTransport

struct LocatorTests {
    @Test func splitsURLs() throws {
        let url = try WebURL("HTTPS://user:p%40ss@Example.COM:8443/a/b c.mkv?token=s#frag")
        #expect(url.scheme == .https)
        #expect(url.host == "example.com")
        #expect(url.port == 8443)
        #expect(url.path == "/a/b%20c.mkv")
        #expect(url.query == "token=s")
        #expect(url.userInfo == "user:p%40ss")
        #expect(url.origin == "https://example.com:8443")
        #expect(url.redacted == "https://example.com:8443/a/b%20c.mkv?…")
        #expect(url.absolute == "https://user:p%40ss@example.com:8443/a/b%20c.mkv?token=s")
    }

    @Test func splitsIPv6AndDefaults() throws {
        let url = try WebURL("http://[2001:db8::1]")
        #expect(url.host == "2001:db8::1")
        #expect(url.effectivePort == 80)
        #expect(url.path == "/")
        #expect(url.origin == "http://[2001:db8::1]:80")
        #expect(try WebURL("http://[::1]:81/x").effectivePort == 81)
        #expect(try WebURL("http://host?x").path == "/")
        #expect(try WebURL("http://h/Ä").path == "/%C3%84")
        #expect(try WebURL("http://a@b@host/").host == "host")
    }

    @Test(arguments: [
        "http://", "http:///x", "http://[::1/x", "http://[zz]/", "http://[::1]x/", "http://h:0/", "http://h:65536/",
        "http://h:8a/", "http://evil.com\\@good.com/", "http://h/\u{1}", "http://h h/", "ftp://h/", "/plain",
        "http://user\n:x@h/", "http://h%00/", "http://" + String(repeating: "a", count: 20_000),
    ])
    func refusesBrokenURLs(_ text: String) {
        #expect(failure { _ = try WebURL(text) }?.code == .invalidOption)
    }

    /// RFC 3986 §5.4 examples that apply to http.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), (".", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../g", "http://a/b/g"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/../g", "http://a/g"),
        ("g;x=1/../y", "http://a/b/c/y"), ("https://z:1/x", "https://z:1/x"), (" /g ", "http://a/g"),
    ])
    func resolvesReferences(_ reference: String, _ expected: String) throws {
        let base = try WebURL("http://a/b/c/d;p?q")
        #expect(try base.resolving(reference).absolute == expected)
    }

    @Test func redirectsStayOnTheWeb() throws {
        let base = try WebURL("http://a/")
        for target in ["file:///etc/passwd", "ftp://a/", "gopher://a:70/_x", "data:text/plain,x"] {
            #expect(failure { _ = try base.resolving(target) }?.code == .accessDenied)
        }
    }

    @Test func locatorsTellFilesFromTheWeb() throws {
        #expect(try SourceLocator("/a b/c.mkv") == .file("/a b/c.mkv"))
        #expect(try SourceLocator("movie.mkv") == .file("movie.mkv"))
        #expect(try SourceLocator("./Title: part.mkv") == .file("./Title: part.mkv"))
        #expect(try SourceLocator("file:///a%20b/%C3%84") == .file("/a b/Ä"))
        #expect(try SourceLocator("file://localhost/x") == .file("/x"))
        #expect(try SourceLocator("file:/x") == .file("/x"))
        #expect(try SourceLocator("http://h/x") == .web(WebURL("http://h/x")))
    }

    @Test(arguments: [
        "ftp://h/x", "rtsp://h/", "concat:a|b", "pipe:0", "data:text/plain,x", "file://other/x", "subfile:x",
    ])
    func unknownSchemesAreRefused(_ text: String) {
        #expect(failure { _ = try SourceLocator(text) }?.code == .unsupported)
    }

    @Test(arguments: ["", "file:x", "file:///a%", "file:///a%0", "file:///%00", "file:///%ff", "/a\0b", "http://"])
    func unusableLocatorsAreRefused(_ text: String) {
        #expect(failure { _ = try SourceLocator(text) }?.code == .invalidOption)
    }

    /// Who may see the caller's credentials after a redirect (behaviours RD-23).
    @Test(arguments: [
        ("http://h/a", "http://h/b", true), ("https://h/a", "https://H:443/b", true),
        ("http://h/a", "https://h/b", true),
        ("https://h/a", "http://h/b", false), ("https://h/a", "https://h:444/b", false),
        ("http://h/a", "http://other/b", false), ("http://h:80/a", "http://h:8080/b", false),
    ])
    func credentialsStayWithinTheirOrigin(_ from: String, _ to: String, _ keeps: Bool) throws {
        let names = ["AUTHORIZATION", "Cookie", "X-Emby-Token", "x-mediabrowser-token", "Proxy-Authorization"]
        let headers =
            names.map { HeaderField($0, "s") } + [HeaderField("X-Emby-Authorization", "s"), HeaderField("Range", "r")]
        let hop = try RedirectPolicy().follow(to, from: WebURL(from), headers: headers, hop: 0)
        #expect(hop.headers.map(\.name) == (keeps ? headers.map(\.name) : ["Range"]))
        #expect(RedirectPolicy.headers(headers, from: nil, to: hop.url).map(\.name) == ["Range"])
    }

    @Test func redirectsEnd() throws {
        let url = try WebURL("http://h/")
        #expect(failure { _ = try RedirectPolicy().follow("/x", from: url, headers: [], hop: 10) }?.code == .transport)
        #expect(failure { _ = try RedirectPolicy().follow(nil, from: url, headers: [], hop: 0) }?.code == .transport)
        #expect(failure { _ = try RedirectPolicy().follow("/x", from: url, headers: [], hop: 9) } == nil)
    }
}
