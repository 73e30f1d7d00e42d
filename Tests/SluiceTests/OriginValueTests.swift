import Sluice
import Testing

@Suite struct ByteRangeTests {
    /// RFC 9110 §14.1.2, with its own examples for a body of 10,000 bytes.
    @Test(
        arguments: [
            ("bytes=0-499", 0, 500), ("bytes=500-999", 500, 1000), ("bytes=-500", 9500, 10_000),
            ("bytes=9500-", 9500, 10_000), ("bytes=0-0", 0, 1), ("bytes=-1", 9999, 10_000), ("BYTES=0-", 0, 10_000),
            ("bytes=0-99999", 0, 10_000), ("bytes=-20000", 0, 10_000), ("bytes=9999-9999", 9999, 10_000),
            ("bytes=0-99999999999999999999999", 0, 10_000),
        ] as [(String, Int64, Int64)])
    func parts(header: String, from: Int64, to: Int64) {
        #expect(ByteRange(header: header, size: 10_000) == .part(from..<to))
    }

    @Test(arguments: ["bytes=10000-", "bytes=10000-10001", "bytes=-0", "bytes=99999999999999999999-"])
    func unsatisfiable(header: String) {
        #expect(ByteRange(header: header, size: 10_000) == .unsatisfiable)
    }

    @Test(
        arguments: [
            nil, "", "bytes", "bytes=", "bytes=-", "bytes=5-4", "bytes=a-b", "bytes=1-2x", "items=0-1", "bytes=0-1,3-4",
            "bytes=+1-2", "bytes=--1",
        ] as [String?])
    func ignored(header: String?) {
        #expect(ByteRange(header: header, size: 10_000) == .whole)
    }

    @Test func nothingCanBeTakenFromNothing() {
        #expect(ByteRange(header: "bytes=0-", size: 0) == .unsatisfiable)
        #expect(ByteRange(header: "bytes=-5", size: 0) == .unsatisfiable)
        #expect(ByteRange(header: nil, size: 0) == .whole)
    }
}

@Suite struct ResolvedResponseTests {
    static let whole = Response(
        status: 200, headers: ["ETag": "\"a\"", "Content-Type": "video/mp4"], body: .bytes([1, 2, 3, 4]))

    func resolve(_ headers: Headers, method: Request.Method = .get) -> ResolvedResponse {
        ResolvedResponse(Self.whole, for: Request(method: method, path: "/", headers: headers))
    }

    @Test func partsSayWhereTheyLie() {
        let part = resolve(["range": "bytes=1-2"])
        #expect(part.status == 206)
        #expect(part.headers["content-range"] == "bytes 1-2/4")
        #expect(part.range == 1..<3)
        let outside = resolve(["Range": "bytes=4-"])
        #expect(outside.status == 416)
        #expect(outside.headers["Content-Range"] == "bytes */4")
        #expect(outside.range.isEmpty)
    }

    @Test func rangesCountOnlyInGetAndOnlyForTheSameBytes() {
        #expect(resolve(["Range": "bytes=1-2"], method: .head).status == 200)
        #expect(resolve(["Range": "bytes=1-2", "If-Range": "\"a\""]).status == 206)
        #expect(resolve(["Range": "bytes=1-2", "If-Range": "\"b\""]).status == 200)
        #expect(resolve(["Range": "bytes=1-2", "If-Range": "Sun, 06 Nov 1994 08:49:37 GMT"]).status == 200)
    }

    @Test(arguments: ["\"a\"", "W/\"a\"", "\"x\", \"a\"", "*"])
    func knownTagsGiveNotModified(list: String) {
        #expect(resolve(["If-None-Match": list]).status == 304)
        #expect(resolve(["If-None-Match": list, "Range": "bytes=0-1"], method: .head).status == 304)
    }

    @Test func unknownTagsGiveTheWhole() {
        #expect(resolve(["If-None-Match": "\"b\", \"aa\""]).range == 0..<4)
        #expect(resolve(["If-None-Match": "\"a\""], method: .post).status == 200)
    }

    @Test func otherStatusesPassThrough() {
        let gone = ResolvedResponse(.gone("x"), for: Request(path: "/", headers: ["Range": "bytes=0-0"]))
        #expect(gone.status == 410)
        #expect(gone.range == 0..<2)
    }
}

@Suite struct RequestTests {
    @Test(
        arguments: [
            ("/", []), ("/v1/a%20b/c", ["v1", "a b", "c"]), ("/a/", ["a", ""]), ("//a", ["", "a"]),
            ("/%E2%82%AC", ["€"]), ("/~x=1,y=2", ["~x=1,y=2"]), ("/...", ["..."]),
        ] as [(String, [String])])
    func components(path: String, expected: [String]) {
        #expect(Request(path: path).pathComponents == expected)
    }

    @Test(arguments: ["a", "", "/..", "/a/%2e%2e/b", "/.", "/a%2Fb", "/%00", "/%", "/%4", "/%zz", "/%ff"])
    func pathsThatNameNoFile(path: String) {
        #expect(Request(path: path).pathComponents == nil)
    }

    @Test func targetsOfBothForms() throws {
        let plain = try #require(Request(method: .get, target: "/a?b=c&d&e=%26+f&g=%4"))
        #expect(plain.path == "/a")
        #expect(plain.query.map(\.name) == ["b", "d", "e"], "an item with a broken escape is left out")
        #expect(plain.query.map(\.value) == ["c", "", "& f"])
        let absolute = try #require(Request(method: .get, target: "HTTP://host:80/x/y?z"))
        #expect(absolute.path == "/x/y")
        #expect(absolute.queryText == "z")
        #expect(Request(method: .get, target: "http://host")?.path == "/")
        #expect(Request(method: .options, target: "*") != nil)
        #expect(Request(method: .get, target: "*") == nil)
        #expect(Request(method: .get, target: "host:443") == nil)
    }

    @Test func headersIgnoreCaseAndAreBounded() {
        var headers: Headers = ["Range": "a"]
        #expect(headers["rANGE"] == "a")
        headers.append("range", "b")
        #expect(headers.values("Range") == ["a", "b"])
        headers["RANGE"] = "c"
        #expect(headers.values("range") == ["c"])
        for index in 0..<200 { headers.append("x-\(index)", "") }
        #expect(headers.count == Headers.limit)
        let isKept = headers.append("y", "")
        #expect(!isKept)
    }

    @Test func encodingKeepsOnlyUnreservedCharacters() {
        #expect(PercentEncoding.encode("a b/ü~-._%") == "a%20b%2F%C3%BC~-._%25")
        #expect(PercentEncoding.decode(PercentEncoding.encode("a b/ü~-._%")) == "a b/ü~-._%")
    }
}
