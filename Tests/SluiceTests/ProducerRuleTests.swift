import SluiceCore
import Testing

@testable import Sluice

@Suite struct ProducerRuleTests {
    @Test(arguments: [
        (wanted: 5, next: Optional(5), decision: ReachPolicy.Decision.wait),
        (wanted: 13, next: 5, decision: .wait), (wanted: 14, next: 5, decision: .move),
        (wanted: 4, next: 5, decision: .move), (wanted: 0, next: nil, decision: .move),
    ])
    func aWantWithinReachIsWaitedFor(_ row: (wanted: Int, next: Int?, decision: ReachPolicy.Decision)) {
        #expect(ReachPolicy().decide(wanted: row.wanted, next: row.next) == row.decision)
    }

    @Test func productionRunsAheadOfTheFurthestWantByTheWindow() {
        #expect(ReachPolicy().limit(furthestWant: 7) == 17)
    }

    private func chunk(_ count: Int) -> [ByteChunk] { [ByteChunk([UInt8](repeating: 1, count: count))] }
    private func media(_ index: Int) -> SegmentKey { SegmentKey(rendition: "video", role: .media(index: index)) }

    @Test func theStoreDropsWhatWasUsedLongestAgoAndKeepsWhatIsWanted() {
        let store = SegmentStore(budget: 1_000)
        for index in 0..<4 { store.put("t", media(index), chunk(300), keep: 100...110) }
        #expect(store.bytes == 900)
        #expect(store.find("t", media(0)) == nil, "the oldest left")
        #expect(store.find("t", media(1)) != nil)
        store.put("t", media(4), chunk(300), keep: 100...110)
        #expect(store.find("t", media(1)) != nil, "just used")
        #expect(store.find("t", media(2)) == nil)

        store.put("t", media(5), chunk(600), keep: 1...5)
        #expect(store.find("t", media(1)) != nil, "inside the window nothing leaves, even over the budget")
        store.put("u", media(1), chunk(300), keep: 0...0)
        #expect(store.bytes <= 1_000)
    }

    @Test func initializationSectionsStayAndATitleIsForgottenWhole() {
        let store = SegmentStore(budget: 500)
        let section = SegmentKey(rendition: "video", role: .initialization(version: 0))
        store.put("t", section, chunk(100), keep: 0...0)
        for index in 0..<10 { store.put("t", media(index), chunk(200), keep: 50...51) }
        #expect(store.find("t", section) != nil)
        store.forget(title: "t")
        #expect(store.bytes == 0 && store.count == 0)
    }

    @Test func aReplacedSegmentIsCountedOnce() {
        let store = SegmentStore(budget: 10_000)
        store.put("t", media(1), chunk(300), keep: 0...0)
        store.put("t", media(1), chunk(200), keep: 0...0)
        #expect(store.bytes == 200 && store.count == 1)
    }
}
