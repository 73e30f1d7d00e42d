import Foundation
import SluiceCore
import Testing

@testable import Sluice

/// What the origin serves is what the packager writes, whatever is asked for and in whatever order.
@Suite(.serialized) struct ServedBytesTests {
    /// A generator of numbers that are the same in every run.
    private struct Steps {
        var state: UInt64
        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(1, bound)
        }
    }

    private func packaged(_ folder: FilmFolder, _ name: String, _ shape: Title.Shape) async throws -> URL {
        let target = folder.url.appending(path: ".package-\(shape.rawValue)")
        _ = try await Packager(shape: shape, graphs: FilmFolder.graphs())
            .run(folder.url.appending(path: name).path(), to: target.path())
        return target
    }

    @Test(arguments: [
        ("film.mp4", "muxed"), ("film.mp4", "renditions"), ("film.mkv", "renditions"), ("film.ts", "muxed"),
    ])
    func twelveClientsInTwelveOrdersGetThePackagersBytes(_ row: (name: String, shape: String)) async throws {
        let folder = try FilmFolder()
        try folder.film(row.name, seconds: 60)
        let shape = try #require(Title.Shape(rawValue: row.shape))
        let package = try await packaged(folder, row.name, shape)
        let plans = folder.url.appending(path: ".plans").path()
        let engine = try folder.engine {
            $0.planDirectory = plans
            $0.plansAhead = true
            // Room for a few segments only: most are evicted and made again, or come from disk.
            $0.storeBytes = 1 << 20
            $0.storeDirectory = row.name == "film.mp4" ? folder.url.appending(path: ".disk").path() : nil
            $0.storeDiskBytes = 1 << 20
        }
        let origin = Origin(engine: engine)
        // A whole plan, as the packager makes it.
        #expect(
            await eventually { engine.catalog.entry("\(folder.root)/\(row.name)") != nil })
        let base = "/v1/\(folder.root)/\(row.name)/~shape=\(row.shape)/"
        let (plan, video) = try await origin.segments(base)
        var names = video + ["video/init-0.mp4"]
        if shape == .renditions {
            names += video.map { $0.replacing("video", with: "audio-1") } + ["audio-1/init-0.mp4"]
        }
        #expect(video.count == 15)
        var expected: [String: [UInt8]] = [:]
        for name in names { expected[name] = Array(try Data(contentsOf: package.appending(path: name))) }

        let all = names
        let truth = expected
        let wrong = try await withThrowingTaskGroup(of: [String].self) { tasks in
            for client in 0..<12 {
                tasks.addTask {
                    var steps = Steps(state: UInt64(client))
                    var wrong: [String] = []
                    for _ in 0..<20 {
                        let name = all[steps.next(all.count)]
                        if steps.next(5) == 0 {
                            // Somebody who changes their mind.
                            let impatient = Task { try await origin.get(plan + name).status }
                            impatient.cancel()
                            _ = try await impatient.value
                        }
                        let answer = try await origin.get(plan + name)
                        if answer.status != 200 || answer.bytes != truth[name] {
                            wrong.append("\(name) \(answer.status)")
                        }
                    }
                    return wrong
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(wrong.isEmpty)
        #expect(engine.budget.used <= 2)
        let waiting = await engine.openTitles().map(\.producers.waiting)
        #expect(waiting.allSatisfy { $0 == 0 })
        await engine.stop()
        #expect(engine.budget.used == 0)
    }
}
