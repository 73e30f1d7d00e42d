import Foundation
import SluiceCore
import SluiceTestKit
import Testing

@testable import Sluice

@Suite struct SegmentStoreTests {
    private func chunk(_ count: Int, _ value: UInt8 = 1) -> [ByteChunk] {
        [ByteChunk([UInt8](repeating: value, count: count))]
    }
    private func media(_ index: Int) -> SegmentKey { SegmentKey(rendition: "video", role: .media(index: index)) }

    private func bytes(_ body: Response.Body?) -> [UInt8]? {
        switch body {
        case .chunks(let chunks): chunks.joined()
        case .open(let file): file.contents()
        default: nil
        }
    }

    /// A folder that goes with the test.
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "store-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func files(_ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? [])
            .filter { $0.hasSuffix(".segment") }
    }

    @Test func whatWasUsedLongestAgoLeavesWhereNobodyWatches() {
        let store = SegmentStore(budget: 1_000)
        for index in 0..<3 { store.put("t", media(index), chunk(300)) }
        #expect(store.find("t", media(0)) != nil, "used just now")
        store.put("t", media(3), chunk(300))
        #expect(store.find("t", media(1)) == nil)
        #expect(store.find("t", media(0)) != nil)
        #expect(store.bytes == 900)
    }

    @Test func whatIsFarFromEveryViewerLeavesFirst() {
        let rule = EvictionRule(positions: ["t": [10, 50]])
        func key(_ title: String, _ index: Int) -> SegmentStore.Key { .init(title: title, segment: media(index)) }
        #expect(rule.distance(key("t", 12)) == 2)
        #expect(rule.distance(key("t", 9)) == 4, "what was seen is wanted less than what comes")
        #expect(rule.distance(key("t", 45)) == 20)
        #expect(rule.distance(key("u", 12)) == .max)
        let all = [10, 12, 9, 45, 30].map { EvictionRule.Candidate(key: key("t", $0), bytes: 100, lastUse: 1) }
        let other = EvictionRule.Candidate(key: key("u", 0), bytes: 100, lastUse: 99)
        let victims = rule.victims(all + [other], excess: 250)
        #expect(victims.first?.key.title == "u")
        #expect(Set(victims.dropFirst().map(\.key.segment)) == [media(45), media(30)], "both are 20 away")
    }

    @Test func productionAheadIsNotWorthItOnceWhatViewersNeedLeaves() {
        let store = SegmentStore(budget: 1_000, positions: { ["t": [0]] })
        for index in 0..<3 { store.put("t", media(index), chunk(300)) }
        #expect(!store.isCrowded)
        store.put("t", media(3), chunk(300))
        #expect(store.isCrowded)
        #expect(store.find("t", media(3)) == nil && store.find("t", media(0)) != nil)
    }

    @Test func aReplacedSegmentIsCountedOnce() {
        let store = SegmentStore(budget: 10_000)
        store.put("t", media(1), chunk(300))
        store.put("t", media(1), chunk(200))
        #expect(store.bytes == 200 && store.count == 1)
    }

    @Test func whatLeavesMemoryIsFoundOnDiskWithTheSameBytes() async throws {
        try await withFolder { folder in
            let disk = try SegmentDisk(directory: folder, budget: 10_000, clock: SystemTimeSource(), logger: .silent)
            let store = SegmentStore(budget: 1_000, disk: disk)
            for index in 0..<10 { store.put("t", media(index), chunk(300, UInt8(index))) }
            await disk.settle()
            #expect(store.bytes <= 1_000 && disk.bytes >= 2_000)
            for index in 0..<10 {
                #expect(bytes(store.find("t", media(index))) == [UInt8](repeating: UInt8(index), count: 300))
            }
            #expect(store.rest(title: "t"))
            await disk.settle()
            #expect(store.bytes == 0 && disk.count == 10)
            #expect(bytes(store.find("t", media(9))) == [UInt8](repeating: 9, count: 300))
            #expect(store.counts.diskHits > 0)
        }
    }

    @Test func theDiskKeepsItsBudgetAndAnOpenFileOutlivesItsEviction() async throws {
        try await withFolder { folder in
            let disk = try SegmentDisk(directory: folder, budget: 1_000, clock: SystemTimeSource(), logger: .silent)
            let key = SegmentStore.Key(title: "t", segment: media(0))
            disk.keep(key, chunk(300, 7), EvictionRule())
            await disk.settle()
            guard case .open(let file) = disk.find(key) else {
                Issue.record("not on disk")
                return
            }
            for index in 1..<10 {
                disk.keep(.init(title: "t", segment: media(index)), chunk(300), EvictionRule())
                await disk.settle()
                #expect(disk.bytes <= 1_000)
            }
            #expect(disk.find(key) == nil)
            #expect(file.contents() == [UInt8](repeating: 7, count: 300))
            #expect(files(folder).count == 3)
        }
    }

    @Test func aFileOfAnotherLengthIsNotServed() async throws {
        try await withFolder { folder in
            let disk = try SegmentDisk(directory: folder, budget: 1_000, clock: SystemTimeSource(), logger: .silent)
            let key = SegmentStore.Key(title: "t", segment: media(0))
            disk.keep(key, chunk(300), EvictionRule())
            await disk.settle()
            let name = try #require(files(folder).first)
            truncate(folder + "/" + name, 299)
            #expect(disk.find(key) == nil)
            #expect(disk.bytes == 0 && files(folder).isEmpty)
        }
    }

    /// The folder is gone: as when the disk fails. What is in memory stays, nothing wrong is served, and later it is
    /// tried again.
    @Test func aDiskThatFailsIsLeftAloneForAWhile() async throws {
        try await withFolder { folder in
            let clock = ManualClock()
            let disk = try SegmentDisk(directory: folder, budget: 10_000, clock: clock, logger: .silent)
            let store = SegmentStore(budget: 1_000, disk: disk)
            let session = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
            try FileManager.default.moveItem(atPath: folder + "/" + session, toPath: folder + "/moved")
            for index in 0..<5 { store.put("t", media(index), chunk(300, UInt8(index))) }
            await disk.settle()
            #expect(disk.failures == 1 && !disk.isTaking && disk.count == 0)
            #expect(bytes(store.find("t", media(4))) == [UInt8](repeating: 4, count: 300))
            #expect(store.find("t", media(0)) == nil, "made again when it is asked for")
            try FileManager.default.moveItem(atPath: folder + "/moved", toPath: folder + "/" + session)
            clock.advance(by: .seconds(11))
            #expect(disk.isTaking)
            #expect(store.rest(title: "t"))
            await disk.settle()
            #expect(bytes(store.find("t", media(4))) == [UInt8](repeating: 4, count: 300))
        }
    }

    @Test func foldersOfProcessesThatEndedAreRemovedAndThoseOfOthersStay() async throws {
        try await withFolder { folder in
            let first = try SegmentDisk(directory: folder, budget: 1_000, clock: SystemTimeSource(), logger: .silent)
            try FileManager.default.createDirectory(atPath: folder + "/sluice-1-2", withIntermediateDirectories: true)
            for name in ["lock", "3.segment"] {
                try Data("x".utf8).write(to: URL(filePath: "\(folder)/sluice-1-2/\(name)"))
            }
            try Data("x".utf8).write(to: URL(filePath: folder + "/mine.txt"))
            let second = try SegmentDisk(directory: folder, budget: 1_000, clock: SystemTimeSource(), logger: .silent)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.count == 3 && names.contains("mine.txt") && !names.contains("sluice-1-2"))
            withExtendedLifetime((first, second)) {}
        }
    }
}
