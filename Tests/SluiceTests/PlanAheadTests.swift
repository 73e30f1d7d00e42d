import Foundation
import SluiceCore
import SluiceNodes
import Testing

@testable import Sluice

@Suite(.serialized) struct PlanAheadTests {
    private func status(_ origin: Origin) async throws -> [String: Any] {
        let answer = try await origin.get("/api/status")
        #expect(answer.headers["Content-Type"] == "application/json")
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any])
    }

    /// Every name of a member, at any depth.
    private func keys(_ value: Any) -> Set<String> {
        switch value {
        case let members as [String: Any]: members.reduce(into: Set(members.keys)) { $0.formUnion(keys($1.value)) }
        case let elements as [Any]: elements.reduce(into: []) { $0.formUnion(keys($1)) }
        default: []
        }
    }

    /// A Matroska film opens with a provisional plan; the background makes the whole one, and the next engine has it.
    @Test func aMountedFilmIsPlannedInTheBackgroundAndOpensFromTheStoredPlan() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mkv", seconds: 20)
        try Data("no film at all".utf8).write(to: folder.url.appending(path: "note.txt"))
        let plans = folder.url.appending(path: ".cache/plans").path()
        let first = try folder.engine {
            $0.planDirectory = plans
            $0.plansAhead = true
        }
        let origin = Origin(engine: first)
        let isPlanned = try await eventually {
            let titles = try #require(try await status(origin)["titles"] as? [[String: Any]])
            return titles.count == 2 && titles[0]["segments"] != nil && titles[1]["error"] != nil
        }
        #expect(isPlanned)
        let titles = try #require(try await status(origin)["titles"] as? [[String: Any]])
        #expect(titles[0]["id"] as? String == "\(folder.root)/film.mkv")
        #expect(titles[0]["duration"] as? Double == 20)
        let video = try #require(titles[0]["video"] as? [String: Any])
        #expect(video["codec"] as? String == "h264" && video["width"] as? Int == 320)
        let audio = try #require(titles[0]["audio"] as? [[String: Any]])
        #expect(audio.first?["codec"] as? String == "aac" && audio.first?["channels"] as? Int == 1)
        await first.stop()

        let second = try folder.engine { $0.planDirectory = plans }
        let title = try await second.title(folder.url.appending(path: "film.mkv").path(), shape: .renditions)
        #expect(title.plan.basis == .scan, "an index plan would be a new one")
        #expect(!title.plan.isProvisional)
        await second.stop()
    }

    @Test func theStatusReportShowsWhoWatchesAndWhatRuns() async throws {
        let folder = try FilmFolder()
        try folder.film("film.mp4", seconds: 20)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let (plan, names) = try await origin.segments("/v1/\(folder.root)/film.mp4/~/")
        let segment = try await origin.get(plan + names[1])
        #expect(segment.status == 200)
        let report = try await status(origin)
        let viewer = try #require((report["viewers"] as? [[String: Any]])?.first)
        #expect(viewer["address"] as? String == "192.0.2.7")
        #expect(viewer["segment"] as? Int == 1)
        #expect(viewer["bytes"] as? Int == segment.bytes.count)
        let graph = try #require((report["graphs"] as? [[String: Any]])?.first)
        #expect(graph["name"] as? String == "native-loopback")
        #expect(graph["title"] as? String == "\(folder.root)/film.mp4")
        let nodes = try #require(graph["nodes"] as? [[String: Any]])
        #expect(
            nodes.compactMap { $0["id"] as? String }.sorted() == [
                "cutter", "demuxer", "muxer", "publisher", "reader", "repair",
            ])
        let links = try #require(graph["links"] as? [[String: Any]])
        #expect(links.count == 5 && links.allSatisfy { ($0["bound"] as? Int ?? 0) > 0 })
        let store = try #require(report["store"] as? [String: Any])
        #expect((store["ramBytes"] as? Int ?? 0) >= segment.bytes.count)
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/status-page.md")
        let document = try String(contentsOf: page.standardized, encoding: .utf8)
        for key in keys(report) { #expect(document.contains("`\(key)`"), "docs/status-page.md: '\(key)'") }
        await engine.stop()
    }
}
