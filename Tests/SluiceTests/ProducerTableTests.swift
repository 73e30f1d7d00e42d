import Foundation
import SluiceCore
import SluiceNodes
import SluiceTestKit
import Testing

@testable import Sluice

@Suite(.serialized) struct ProducerTableTests {
    private func key(_ index: Int) -> SegmentKey { SegmentKey(rendition: "video", role: .media(index: index)) }

    private func isReady(_ fetched: Fetched) -> Bool { if case .ready = fetched { true } else { false } }
    private func isRefused(_ fetched: Fetched) -> Bool { if case .refused = fetched { true } else { false } }

    private func title(_ engine: Engine, _ folder: FilmFolder, _ name: String) async throws -> Title {
        try await engine.title(folder.url.appending(path: name).path(), name: name, shape: .muxed)
    }

    @Test func aTitleStartsASecondProducerForAFarViewerAndNoThird() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 160)
        let engine = try folder.engine { $0.storeBytes = 64 << 20 }
        let title = try await title(engine, folder, "film.mp4")
        let table = title.producers
        #expect(title.plan.segments.count == 40)
        #expect(isReady(await table.fetch(key(0), deadline: .seconds(20))))
        #expect(table.running == 1)
        #expect(isReady(await table.fetch(key(35), deadline: .seconds(20))))
        #expect(table.running == 2)
        for index in [25, 14, 3, 38] { #expect(isReady(await table.fetch(key(index), deadline: .seconds(20)))) }
        #expect(table.running == 2 && engine.budget.used == 2)
        await engine.stop()
    }

    @Test func manyViewersOfOneTitleShareItsProducersAndAllAreServed() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 160)
        let engine = try folder.engine { $0.producersPerTitle = 1 }
        let table = try await title(engine, folder, "film.mp4").producers
        let answers = await withTaskGroup(of: Bool.self) { tasks in
            for index in [39, 0, 30, 12, 21, 5, 38, 13] {
                tasks.addTask { self.isReady(await table.fetch(self.key(index), deadline: .seconds(30))) }
            }
            return await tasks.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count == 8 && answers.allSatisfy { $0 })
        #expect(table.running == 1)
        await engine.stop()
    }

    /// The server's limit is one: the second title waits for the first one's viewer to leave, then takes its place.
    @Test func theServersLimitHoldsAndAnIdleProducerOfAnotherTitleMakesWay() async throws {
        let folder = try FilmFolder()
        try folder.film("a.mp4", seconds: 20)
        try folder.film("b.mp4", seconds: 20)
        let clock = ManualClock()
        let engine = try folder.engine {
            $0.producers = 1
            $0.clock = clock
        }
        let first = try await title(engine, folder, "a.mp4").producers
        let second = try await title(engine, folder, "b.mp4").producers
        #expect(isReady(await first.fetch(key(0), deadline: .seconds(20))))
        #expect(isRefused(await second.fetch(key(0), deadline: .seconds(20))), "a viewer of the first asked just now")
        clock.advance(by: .seconds(11))
        #expect(isReady(await second.fetch(key(0), deadline: .seconds(20))))
        #expect(first.running == 0 && second.running == 1 && engine.budget.used == 1)
        #expect(isReady(await first.fetch(key(0), deadline: .seconds(20))), "still in the store")
        await engine.stop()
    }

    @Test func anAbortedWantLeavesItsProducerToOthersAtOnce() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 160)
        let engine = try folder.engine { $0.producersPerTitle = 1 }
        let table = try await title(engine, folder, "film.mp4").producers
        let far = (20..<40).map { index in Task { await table.fetch(key(index), deadline: .seconds(20)) } }
        for task in far { task.cancel() }
        for task in far { _ = await task.value }
        #expect(table.waiting == 0)
        #expect(isReady(await table.fetch(key(0), deadline: .seconds(20))))
        await engine.stop()
    }

    @Test func graphsStopWhenNobodyAsksAndMemoryIsGivenBack() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 20)
        let clock = ManualClock()
        let engine = try folder.engine { $0.clock = clock }
        let table = try await title(engine, folder, "film.mp4").producers
        #expect(isReady(await table.fetch(key(0), deadline: .seconds(20))))
        clock.advance(by: .seconds(19))
        #expect(await table.rest() == .seconds(19))
        #expect(table.running == 1)
        clock.advance(by: .seconds(2))
        _ = await table.rest()
        #expect(table.running == 0 && engine.budget.used == 0)
        #expect(engine.store.bytes > 0)
        clock.advance(by: .seconds(10))
        #expect(await eventually { engine.store.bytes == 0 })
        await engine.stop()
    }

    @Test func aFullTableOfWaitsRefuses() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 20)
        let engine = try folder.engine()
        let opened = try await title(engine, folder, "film.mp4")
        var settings = opened.producers.settings
        settings.waitLimit = 0
        let table = ProducerTable(settings: settings, store: engine.store, budget: engine.budget)
        #expect(isRefused(await table.fetch(key(0), deadline: .seconds(20))))
        await engine.stop()
    }
}
