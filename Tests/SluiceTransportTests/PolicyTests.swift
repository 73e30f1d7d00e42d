import SluiceCore
import Testing

@testable import SluiceTransport

struct PolicyTests {
    @Test(
        arguments: [
            ("bytes 0-0/12345", 0, 1, 12_345), ("bytes 900-999/1000", 900, 1000, 1000),
            ("bytes 0-99/34960244736", 0, 100, 34_960_244_736), ("Bytes  5-9/10 ", 5, 10, 10),
        ] as [(String, Int64, Int64, Int64)])
    func readsContentRange(_ text: String, _ start: Int64, _ end: Int64, _ total: Int64) {
        let range = ContentRange(text)
        #expect(range?.bytes == start..<end)
        #expect(range?.total == total)
    }

    @Test func readsContentRangeWithoutTotalOrBytes() {
        #expect(ContentRange("bytes 0-99/*")?.bytes == 0..<100)
        #expect(ContentRange("bytes 0-99/*")?.total == .some(nil))
        #expect(ContentRange("bytes */1000")?.bytes == .some(nil))
        #expect(ContentRange("bytes */1000")?.total == 1000)
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes */*", "bytes 0-0", "bytes 5-4/10", "bytes 0-10/10", "bytes -5/10", "bytes 0-/10",
        "items 0-0/1", "bytes 0-0/1/2", "bytes 0x0-1/2", "bytes +1-2/3", "bytes 0-99999999999999999999/*",
        "bytes 0-9223372036854775807/*", "bytes=0-0/1",
    ])
    func refusesGarbageContentRange(_ text: String) { #expect(ContentRange(text) == nil) }

    /// DS-01 of the behaviours: 2048..<6144.
    @Test func writesRange() {
        #expect(RangeHeader.value(from: 2048, to: 6144) == "bytes=2048-6143")
        #expect(RangeHeader.value(from: 5) == "bytes=5-")
        #expect(RangeHeader.value(from: 5, to: 5) == "bytes=5-")
    }

    @Test(
        arguments: [
            (0, nil, 0), (1, nil, 1000), (2, nil, 2000), (3, nil, 4000), (4, nil, 8000), (9, nil, 8000), (1, 5, 5000),
            (4, 5, 8000), (1, 99, 15_000),
        ] as [(Int, Int?, Int)])
    func delaysRetries(_ streak: Int, _ retryAfter: Int?, _ milliseconds: Int) {
        let delay = RetryPolicy().delay(streak: streak, retryAfter: retryAfter.map { .seconds($0) })
        #expect(delay == .milliseconds(milliseconds))
    }

    @Test func givesUpAfterTheCapOfItsKind() {
        func attempts(_ ladder: RetryLadder, _ failure: RetryLadder.Failure) -> Int {
            var ladder = ladder
            for count in 0..<100 where ladder.failed(failure) == .giveUp { return count }
            return 100
        }
        var productive = RetryLadder(RetryPolicy())
        productive.delivered(1)
        let fresh = RetryLadder(RetryPolicy())
        #expect(attempts(fresh, .connection) == 2)
        #expect(attempts(productive, .connection) == 12)
        #expect(attempts(fresh, .status(429)) == 6)
        #expect(attempts(productive, .status(503)) == 6)
        #expect(attempts(productive, .status(509)) == 6)
        #expect(attempts(fresh, .status(403)) == 1)
        #expect(attempts(fresh, .status(500)) == 1)
        #expect(attempts(productive, .status(500)) == 12)
        #expect(attempts(fresh, .wrongAnswer) == 1)
    }

    @Test func onlyHalfAMebibyteFromTheNetworkEndsAStreak() {
        var ladder = RetryLadder(RetryPolicy())
        ladder.delivered(524_287)
        _ = ladder.failed(.connection)
        _ = ladder.failed(.status(429))
        #expect(ladder.streak == 1)
        #expect(ladder.rateLimitStreak == 1)
        ladder.delivered(524_288)
        #expect(ladder.streak == 0)
        #expect(ladder.rateLimitStreak == 0)
    }

    @Test func budgetHalvesAtRefusalsAndObeysTheHost() {
        var budget = RequestBudget()
        let granted = (0..<8).filter { _ in budget.tryAcquire() }
        #expect(granted.count == 8)
        var limits: [Int?] = []
        for _ in 0..<4 {
            budget.refused()
            limits.append(budget.limit)
        }
        #expect(limits == [4, 2, 1, 1])
        for _ in 0..<8 { budget.release() }
        #expect(budget.peak == 8)
        let (one, two) = (budget.tryAcquire(), budget.tryAcquire())
        #expect(one)
        #expect(!two)
        budget.proceedUngranted()
        #expect(budget.inFlight == 2)
        #expect(budget.ungranted == 1)

        var declared = RequestBudget(declaredLimit: 4)
        declared.refused()
        #expect(declared.limit == 4)
    }

    @Test func mappedAddressesAreSeenAsWhatTheyReach() {
        #expect(NetworkAddress(text: "::ffff:10.0.0.1", port: 1)?.unmapped.bytes == [10, 0, 0, 1])
        #expect(NetworkAddress(text: "fe80::1%eth0", port: 1)?.bytes.prefix(2) == [0xfe, 0x80])
        #expect(NetworkAddress(text: "localhost", port: 1) == nil)
        #expect(NetworkAddress(text: "127.0.0.1", port: 8080)?.description == "127.0.0.1:8080")
    }

    @Test func headersAreBoundedAndInterimOnesSkipped() {
        func feed(_ lines: [String]) -> (ResponseHead, ResponseHead.Step) {
            var head = ResponseHead()
            var step = ResponseHead.Step.more
            for line in lines where step == .more {
                step = Array("\(line)\r\n".utf8).withUnsafeBytes { head.append($0) }
            }
            return (head, step)
        }
        let (head, step) = feed([
            "HTTP/1.1 103 Early Hints", "Link: x", "", "HTTP/1.1 206 Partial Content", "ETag: \"a\"",
            "Content-Range: bytes 1-2/9", "Retry-After: 7", "",
        ])
        #expect(step == .complete)
        #expect(head.status == 206)
        #expect(head.fields.map(\.name) == ["etag", "content-range", "retry-after"])
        #expect(head.contentRange?.bytes == 1..<3)
        #expect(head.retryAfter == .seconds(7))
        #expect(EntityValidator(head, size: 9).identity == "etag:\"a\"")
        #expect(feed(["HTTP/1.1 200 OK"] + (0..<300).map { "X-\($0): y" }).1 == .tooLarge)
        #expect(feed(["HTTP/1.1 200 OK", "X: " + String(repeating: "y", count: 70_000)]).1 == .tooLarge)
    }

    @Test func validatorsDisagreeOnlyOnWhatBothState() {
        let opened = EntityValidator(strongTag: "\"a\"", lastModified: "Mon", size: 10)
        #expect(opened.agrees(with: EntityValidator(strongTag: "\"a\"", lastModified: "Tue")))
        #expect(!opened.agrees(with: EntityValidator(strongTag: "\"b\"", lastModified: "Mon")))
        #expect(!opened.agrees(with: EntityValidator(strongTag: "\"a\"", size: 11)))
        #expect(!opened.agrees(with: EntityValidator(lastModified: "Tue")))
        #expect(opened.agrees(with: EntityValidator()))
        #expect(EntityValidator(lastModified: "Mon", size: 3).identity == "modified:Mon;size:3")
        #expect(EntityValidator(lastModified: "Mon").identity == nil)
    }
}
