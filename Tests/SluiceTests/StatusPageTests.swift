import Foundation
import Sluice
import Testing

@testable import SluiceServer

@Suite struct StatusPageTests {
    private struct Other: RequestResponder {
        func respond(to request: Request) async -> Response { .text("other \(request.path)") }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/SluiceServer/Page").standardized

    private let page = StatusPage(before: Other())

    private func bytes(_ response: Response) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    @Test func servesEveryFileOfTheFolderAndNothingElse() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path()).sorted()
        let paths = names.map { $0 == "index.html" ? "/" : "/page/\($0)" }
        #expect(PageFile.all.keys.sorted() == paths.sorted())
        for (name, path) in zip(names, paths) {
            let source = try Data(contentsOf: Self.folder.appending(path: name))
            let response = await page.respond(to: Request(path: path))
            #expect(response.status == 200)
            let isSame = bytes(response) == Array(source)
            #expect(isSame, "\(name) differs from what the program holds")
        }
    }

    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/page/page.css", "text/css; charset=utf-8"),
        ("/page/page.js", "text/javascript; charset=utf-8"), ("/page/icon.svg", "image/svg+xml"),
    ]) func saysWhatItIsAndWhatItMayLoad(_ path: String, _ type: String) async {
        let response = await page.respond(to: Request(path: path))
        #expect(response.headers["Content-Type"] == type)
        #expect(response.headers["Cache-Control"] == "no-cache")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'self';") == true)
    }

    @Test func aKnownFileIsNotSentAgain() async throws {
        var request = Request(path: "/page/page.js")
        let first = await page.respond(to: request)
        request.headers["If-None-Match"] = first.headers["ETag"]
        let again = ResolvedResponse(await page.respond(to: request), for: request)
        #expect(again.status == 304)
        #expect(again.range.isEmpty)
    }

    @Test func tagsTellFilesApart() {
        #expect(Set(PageFile.all.values.map(\.entityTag)).count == PageFile.all.count)
    }

    @Test func everythingElseIsAskedOfTheNext() async {
        for path in ["/api/status", "/v1/a/~/master.m3u8", "/page/", "/page/none.js", "/index.html"] {
            #expect(bytes(await page.respond(to: Request(path: path))) == Array("other \(path)".utf8))
        }
        #expect(await page.respond(to: Request(method: .post, path: "/")).status == 405)
    }

    /// A page of a server without internet: no address but its own.
    @Test func asksNobodyElse() throws {
        for (path, file) in PageFile.all {
            var text = String(decoding: file.bytes, as: UTF8.self)
            text = text.replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains("http://") && !text.contains("https://"), "\(path)")
        }
    }

    /// Every module that a script imports, and every file that the document names, is served.
    @Test func importsAreServed() throws {
        for (path, file) in PageFile.all where path.hasSuffix(".js") {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for match in text.matches(of: /from "\.\/([a-z]+\.js)"/) {
                #expect(PageFile.named("/page/\(match.1)") != nil, "\(path) imports \(match.1)")
            }
        }
        let document = String(decoding: try #require(PageFile.named("/")).bytes, as: UTF8.self)
        let named = document.matches(of: /(?:src|href)="(page\/[^"]+)"/).map { "/\($0.1)" }
        #expect(named.count >= 3)
        for path in named { #expect(PageFile.named(path) != nil, "\(path)") }
    }
}
