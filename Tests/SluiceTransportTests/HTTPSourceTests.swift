import Glibc
import SluiceCore
import SluiceTestKit
import Testing

@testable import SluiceTransport

@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTPSourceTests {
    private static let body = FaultyOrigin.noise(5_000_000)
    private var body: [UInt8] { Self.body }

    @Test(
        arguments: [
            .ok, .chunked, .clipped(700_000), .longBody(extra: 5000), .trickle(bytes: 500_000, milliseconds: 5),
            .noRange,
            .unsized, .noTotal, .drop(after: 600_000), .shortChunked(600_000),
        ] as [FaultyOrigin.Mode])
    func wholeBodyComesThrough(_ mode: FaultyOrigin.Mode) async throws {
        let body = body
        let origin = try FaultyOrigin(body: body) { _ in mode }
        let url = origin.url
        let (bytes, size, isSeekable) = try await onThread { () -> ([UInt8], Int64?, Bool) in
            let source = try Transport.open(url, options: quickOptions())
            let (size, isSeekable) = (source.size, source.isSeekable)
            return (try readAll(source), size, isSeekable)
        }
        #expect(bytes == body)
        let isWhole = mode == .noRange || mode == .unsized
        #expect(isSeekable == (!isWhole && mode != .noTotal))
        if mode != .unsized, mode != .noTotal { #expect(size == Int64(body.count)) }
        #expect(origin.requests.first?.headers["range"] == "bytes=0-")
        #expect(origin.requests.first?.headers["accept-encoding"] == "identity")
    }

    /// Every connection breaks after 300,000 bytes: asked for again at the frontier, nothing twice.
    @Test func brokenConnectionsContinueWhereTheyStopped() async throws {
        let body = body
        let origin = try FaultyOrigin(body: body) { _ in .drop(after: 300_000) }
        let url = origin.url
        let bytes = try await onThread { try readAll(Transport.open(url, options: quickOptions())) }
        #expect(bytes == body)
        #expect(origin.requests.map { $0.rangeStart ?? 0 } == Array(stride(from: 0, to: 5_000_000, by: 300_000)))
        #expect(origin.requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"v1\"" })
    }

    @Test func seeksAskOnlyForWhatIsNotThere() async throws {
        let body = FaultyOrigin.noise(40_000_000)
        let origin = try FaultyOrigin(body: body)
        let url = origin.url
        try await onThread {
            let source = try Transport.open(url, options: quickOptions())
            #expect(source.identity == "etag:\"v1\"")
            #expect(try readSome(source, 1000, at: 0) == Array(body[..<1000]))
            #expect(try readSome(source, 1000, at: 4_000_000) == Array(body[4_000_000..<4_001_000]))
            #expect(try readSome(source, 1000, at: 2_500_000) == Array(body[2_500_000..<2_501_000]))
            #expect(origin.requestCount == 1, "4 MB forward is waited for, 1.5 MB back is held")
            #expect(try readSome(source, 1000, at: 39_999_500) == Array(body[39_999_500...]))
            #expect(try readSome(source, 1000, at: 40_000_000).isEmpty)
            #expect(try readSome(source, 1000, at: 1 << 40).isEmpty)
            #expect(try readSome(source, 1000, at: 50) == Array(body[50..<1050]))
            #expect(origin.requests.map { $0.rangeStart ?? 0 } == [0, 39_999_500, 50])
            source.close()
        }
    }

    /// A reader that stands still: receiving stops at the high water, and goes on below the low one.
    @Test func memoryStaysBoundedWithASlowReader() async throws {
        let body = FaultyOrigin.noise(30_000_000)
        let origin = try FaultyOrigin(body: body)
        var options = quickOptions()
        options.window.highWater = 1 << 20
        options.window.lowWater = 1 << 19
        options.window.lookBack = 1 << 18
        let source = try httpSource(origin.url, options)
        let bytes = try await onThread {
            try source.open()
            #expect(origin.wait { _ in source.statistics.aheadBytes >= 1 << 20 })
            // Longer than the silence timeout: a paused transfer is not a silent one.
            usleep(700_000)
            #expect(source.statistics.aheadBytes < 1 << 20 + CurlTransfer.chunk)
            return try readAll(source)
        }
        #expect(bytes == body)
        #expect(source.statistics.peakWindowBytes <= 1 << 20 + CurlTransfer.chunk + 1 << 18)
        #expect(origin.requestCount == 1)
        source.close()
    }

    @Test func aParkedReaderHoldsNoConnection() async throws {
        let body = FaultyOrigin.noise(20_000_000)
        let origin = try FaultyOrigin(body: body)
        var options = quickOptions()
        options.window.highWater = 1 << 20
        options.window.lowWater = 1 << 19
        options.parkAfter = .milliseconds(200)
        let source = try httpSource(origin.url, options)
        let bytes = try await onThread {
            try source.open()
            #expect(origin.wait { $0.openConnections == 0 && $0.acceptedConnections == 1 })
            return try readAll(source)
        }
        #expect(bytes == body)
        #expect(source.statistics.retries == 0, "an end the reader made itself is no failure")
        #expect(origin.requests.map { $0.rangeStart ?? 0 }.sorted() == origin.requests.map { $0.rangeStart ?? 0 })
        source.close()
    }

    @Test func aSilentConnectionIsReplaced() async throws {
        let body = body
        let origin = try FaultyOrigin(body: body) { $0.index == 0 ? .stall(after: 1_000_000) : .ok }
        let url = origin.url
        let bytes = try await onThread { try readAll(Transport.open(url, options: quickOptions())) }
        #expect(bytes == body)
        #expect(origin.requests.map { $0.rangeStart ?? 0 } == [0, 1_000_000])
    }

    @Test(arguments: [
        (401, NodeFailure.Code.accessDenied, 2), (403, .accessDenied, 2), (404, .notFound, 2), (410, .notFound, 2),
        (500, .transport, 2), (429, .transport, 7), (503, .transport, 7), (509, .transport, 7),
    ])
    func refusalsKeepTheirStatus(_ status: Int, _ code: NodeFailure.Code, _ attempts: Int) async throws {
        let origin = try FaultyOrigin(body: body) { _ in .status(status, retryAfter: 1) }
        let url = origin.url
        let thrown = try await onThread { failure { _ = try Transport.open(url, options: quickOptions()) } }
        #expect(thrown?.code == code)
        #expect(thrown?.httpStatus == status)
        #expect(origin.requestCount == attempts)
        // Some origins refuse any range; the second attempt at a refusal asks without.
        let plain = origin.requests.filter { $0.headers["range"] == nil }.count
        #expect(plain == (status < 429 ? 1 : 0))
    }

    @Test func anOriginThatRefusesRangesIsReadInOnePass() async throws {
        let body = body
        let origin = try FaultyOrigin(body: body) { $0.rangeStart == nil ? .noRange : .status(403) }
        let url = origin.url
        try await onThread {
            let source = try Transport.open(url, options: quickOptions())
            #expect(!source.isSeekable)
            #expect(try readAll(source) == body)
            #expect(failure { _ = try readSome(source, 1, at: 0) }?.code == .unsupported)
        }
    }

    @Test func anAnswerToAnotherQuestionIsRefused() async throws {
        let whole = try FaultyOrigin(body: body) { $0.index == 0 ? .drop(after: 1_000_000) : .noRange }
        let shifted = try FaultyOrigin(body: body) { _ in .shifted(by: 10) }
        let page = try FaultyOrigin(body: body) { $0.index == 0 ? .drop(after: 1_000_000) : .html }
        let changed = try FaultyOrigin(body: body) { $0.index == 0 ? .drop(after: 1_000_000) : .tagged("v2") }
        let coded = try FaultyOrigin(body: body) { _ in .coded("gzip") }
        let huge = try FaultyOrigin(body: body) { _ in .hugeHeader(100_000) }
        let urls = [whole, shifted, page, changed, coded, huge].map(\.url)
        let thrown = try await onThread {
            urls.map { url in failure { _ = try readAll(Transport.open(url, options: quickOptions())) } }
        }
        #expect(
            thrown.map { $0?.code } == [
                .transport, .transport, .sourceChanged, .sourceChanged, .unsupported, .limitExceeded,
            ])
        #expect(thrown[0]?.httpStatus == 200)
    }

    /// Nothing can be skipped without ranges, so a broken pass is an error and never an end.
    @Test func aBrokenSinglePassIsAnError() async throws {
        let origin = try FaultyOrigin(body: body) { $0.rangeStart == nil ? .drop(after: 100_000) : .status(403) }
        let url = origin.url
        let thrown = try await onThread { failure { _ = try readAll(Transport.open(url, options: quickOptions())) } }
        #expect(thrown?.code == .transport)
    }

    @Test func emptyObjectsEndAtOnce() async throws {
        let origin = try FaultyOrigin(body: [])
        let url = origin.url
        try await onThread {
            let source = try Transport.open(url, options: quickOptions())
            #expect(source.size == 0)
            #expect(try readAll(source).isEmpty)
        }
    }

    @Test func redirectsAreFollowedRememberedAndStripped() async throws {
        let body = body
        let target = try FaultyOrigin(body: body) { $0.index == 0 ? .drop(after: 1_000_000) : .ok }
        let targetURL = "http://localhost:\(target.port)/signed?token=1"
        let origin = try FaultyOrigin(body: body) {
            $0.path == "/media.bin" ? .redirect(to: "next") : .redirect(to: targetURL)
        }
        let url = origin.url
        let bytes = try await onThread {
            let headers = [HeaderField("Authorization", "Bearer x"), HeaderField("X-Other", "y")]
            return try readAll(Transport.open(url, headers: headers, options: quickOptions()))
        }
        #expect(bytes == body)
        #expect(origin.requests.map(\.path) == ["/media.bin", "/next"])
        #expect(origin.requests.allSatisfy { $0.headers["authorization"] == "Bearer x" })
        #expect(target.requests.map { $0.rangeStart ?? 0 } == [0, 1_000_000], "the retry goes to the target at once")
        #expect(target.requests.allSatisfy { $0.headers["authorization"] == nil && $0.headers["x-other"] == "y" })
    }

    @Test func redirectsEndAndStayOnTheWeb() async throws {
        let circle = try FaultyOrigin(body: body) { _ in .redirect(to: "/again") }
        let file = try FaultyOrigin(body: body) { _ in .redirect(to: "file:///etc/passwd") }
        let urls = [circle.url, file.url]
        let thrown = try await onThread {
            urls.map { url in failure { _ = try Transport.open(url, options: quickOptions()) } }
        }
        #expect(thrown.map { $0?.code } == [.transport, .accessDenied])
        #expect(circle.requestCount == 11)
    }

    /// The kept connection of the first source must not let the second one past its policy.
    @Test func addressPolicyIsAskedForEveryConnection() async throws {
        let origin = try FaultyOrigin(body: Array(body[..<1000]))
        let url = origin.url
        let port = origin.port
        let seen = Locked<[NetworkAddress]>([])
        let (first, second) = try await onThread {
            var options = quickOptions()
            options.addressPolicy = AddressPolicy { address in
                seen.withLock { $0.append(address) }
                return true
            }
            let bytes = try readAll(Transport.open(url, options: options))
            options.addressPolicy = AddressPolicy { $0.bytes.first != 127 }
            return (bytes, failure { _ = try Transport.open(url, options: options) })
        }
        #expect(first == Array(body[..<1000]))
        #expect(seen.withLock { $0.first } == NetworkAddress(bytes: [127, 0, 0, 1], port: port))
        #expect(second?.code == .accessDenied)
        #expect(origin.requestCount == 1)
    }

    @Test func nobodyListeningIsATransportFailure() async throws {
        let origin = try FaultyOrigin(body: [1])
        let url = origin.url
        origin.stop()
        let thrown = try await onThread { failure { _ = try Transport.open(url, options: quickOptions()) } }
        #expect(thrown?.code == .transport)
        #expect(thrown?.isTransient == true)
    }

    /// `Content-Range` says one thing and `Content-Length` another: none of those bytes is believed.
    @Test func lengthsThatDisagreeAreAFailure() async throws {
        let body = FaultyOrigin.noise(40_000_000)
        let origin = try FaultyOrigin(body: body) { _ in .wholeBody }
        let url = origin.url
        try await onThread {
            let source = try Transport.open(url, options: quickOptions())
            #expect(try readSome(source, 1000, at: 0) == Array(body[..<1000]))
            do {
                _ = try readSome(source, 1000, at: 30_000_000)
                Issue.record("believed")
            } catch let error as NodeFailure {
                #expect(error.code == .transport)
                #expect(error.message.contains("lengths disagree"))
            }
        }
        #expect(origin.requestCount == 2)
    }

    /// Each connection delivers 700,000 bytes: none is waited for.
    @Test func connectionsThatDeliveredAreReplacedAtOnce() {
        var ladder = RetryLadder(RetryPolicy())
        for _ in 0..<100 {
            ladder.delivered(700_000)
            #expect(ladder.failed(.connection) == .retry(after: .zero))
        }
        #expect(ladder.failed(.connection) == .retry(after: .seconds(2)))
        var fresh = RetryLadder(RetryPolicy())
        #expect(fresh.failed(.connection) == .retry(after: .milliseconds(500)))
        #expect(fresh.failed(.connection) == .retry(after: .seconds(1)))
        #expect(fresh.failed(.connection) == .giveUp)
    }
}
