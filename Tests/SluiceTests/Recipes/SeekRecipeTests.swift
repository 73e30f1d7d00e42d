import Foundation
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// T28, T36 and T39: seek bursts, renditions, bounds of what is made ahead.
@Suite(.serialized) struct SeekRecipeTests {
    /// Ten minutes of very small pictures.
    private func ten(_ folder: FilmFolder) throws { try folder.film("ten.mkv", seconds: 600, size: "64x36") }

    @Test func t28ASeekBurstEndsWhereItShouldAndTheBytesAreThoseOfAColdRun() async throws {
        let folder = try FilmFolder()
        try ten(folder)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/ten.mkv/~/"
        let (plan, names) = try await origin.segments(base)
        #expect(names.count == 150)
        #expect(try await origin.get(plan + names[0]).status == 200)
        for index in [80, 5, 140, 20] {
            let impatient = Task { try await origin.get(plan + names[index]).status }
            try await Task.sleep(for: .milliseconds(100))
            impatient.cancel()
            #expect([200, 503].contains(try await impatient.value))
            #expect(engine.budget.used <= 2)
        }
        var burst: [String: [UInt8]] = [:]
        for name in names[20...] {
            let answer = try await origin.get(plan + name)
            #expect(answer.status == 200, "\(name)")
            burst[name] = answer.bytes
        }
        #expect(engine.budget.used <= 2)
        await engine.stop()

        let cold = try folder.engine()
        let second = Origin(engine: cold)
        _ = try await second.segments(base)
        for name in names[20...] {
            let isSame = try await second.get(plan + name).bytes == burst[name]
            #expect(isSame, "\(name)")
        }
        await cold.stop()
    }

    @Test func t28RandomFetchesWithASmallStoreNeverMiss() async throws {
        let folder = try FilmFolder()
        try ten(folder)
        let engine = try folder.engine { $0.storeBytes = 5 << 20 }
        let origin = Origin(engine: engine)
        let (plan, names) = try await origin.segments("/v1/\(folder.root)/ten.mkv/~/")
        var state: UInt64 = 28
        var known: [String: [UInt8]] = [:]
        for _ in 0..<200 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let name = names[Int(state >> 33) % names.count]
            let answer = try await origin.get(plan + name)
            #expect(answer.status == 200, "\(name)")
            let isSame = known[name].map { $0 == answer.bytes } ?? true
            #expect(isSame, "\(name) differs from its first answer")
            known[name] = answer.bytes
            #expect(engine.budget.used <= 2)
        }
        #expect(engine.store.bytes <= 5 << 20)
        await engine.stop()
    }

    @Test func t36TwoSoundsAreTwoRenditionsWithTheSameSegments() async throws {
        let folder = try FilmFolder()
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=20", "-f", "lavfi",
                "-i", "sine=r=48000:d=20", "-f", "lavfi", "-i", "sine=f=700:r=48000:d=20", "-map", "0", "-map", "1",
                "-map", "2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-c:a:0", "aac", "-c:a:1", "ac3",
                "-metadata:s:a:0", "language=fre", "-metadata:s:a:0", "title=Son", "-metadata:s:a:1", "language=fre",
                "-metadata:s:a:1", "title=Son", folder.url.appending(path: "two.mkv").path(),
            ])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/two.mkv/~/"
        let master = try await origin.get(base + "master.m3u8")
        let media = master.lines.filter { $0.hasPrefix("#EXT-X-MEDIA:") }
        #expect(media.count == 2)
        #expect(Set(media.compactMap { $0.firstMatch(of: /NAME="([^"]*)"/)?.1 }).count == 2, "NAMEs are unique")
        #expect(media.allSatisfy { $0.contains("LANGUAGE=\"fr\"") })
        let (plan, video) = try await origin.segments(base)
        for (rendition, entry) in [("audio-1", "mp4a"), ("audio-2", "ac-3")] {
            let names = try await origin.segments(base, rendition).names
            #expect(names.count == video.count)
            let section = try await origin.get(plan + "\(rendition)/init-0.mp4")
            #expect(section.headers["Content-Type"] == "audio/mp4")
            let text = String(decoding: section.bytes, as: Unicode.ASCII.self)
            #expect(text.contains(entry) && text.contains("soun") && !text.contains("vide"), "\(rendition)")
            for name in names { #expect(try await origin.get(plan + name).status == 200) }
        }
        await engine.stop()
    }

    @Test func t39WhatIsMadeAheadIsBoundedAndTheGraphLeavesWhenNobodyWatches() async throws {
        let folder = try FilmFolder()
        try ten(folder)
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let (plan, names) = try await origin.segments("/v1/\(folder.root)/ten.mkv/~/")
        let title = try #require(await engine.openTitles().first)
        // Opened and nothing fetched: what a first request is likely to want, and no more.
        let first = ReachPolicy().firstWindow
        #expect(await eventually { title.producers.statuses.first?.next ?? 0 >= first })
        try await Task.sleep(for: .seconds(1))
        #expect(engine.store.count <= 2 * (first + 2), "a rendition may be one segment further")
        for name in names[..<3] { #expect(try await origin.get(plan + name).status == 200) }
        try await Task.sleep(for: .seconds(1))
        #expect(engine.store.count <= 2 * (3 + ReachPolicy().forwardWindow + 1))
        let hasLeft = await eventually { title.producers.running == 0 }
        #expect(hasLeft, "idle time of 20 s and a look every 5 s")
        #expect(engine.budget.used == 0)
        let dead = try await origin.get(plan.replacing(title.planID, with: "00000000") + names[0])
        #expect(dead.status == 410 && !dead.text.isEmpty)
        await engine.stop()
    }
}
