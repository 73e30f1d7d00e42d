import Foundation
import SluiceCore
import SluiceGraph
import TestTools
import Testing

@testable import Sluice

/// A PGS stream of coloured rectangles, as discs have them.
enum DiscSubtitles {
    struct Event {
        var time: Double
        /// Empty clears the screen.
        var boxes: [(x: Int, y: Int, width: Int, height: Int)]
        var isForced = false
    }

    /// - Returns: a `.sup` file on a plane of 1920x1080; all boxes are opaque white.
    static func file(_ events: [Event]) -> [UInt8] {
        var bytes: [UInt8] = []
        // ffmpeg takes the first time of a file for its beginning.
        for (number, event) in ([Event(time: 0, boxes: [])] + events).enumerated() {
            func add(_ kind: UInt8, _ body: [UInt8]) {
                let ticks = UInt32(event.time * 90_000)
                bytes += Array("PG".utf8) + four(ticks) + four(0) + [kind] + two(body.count) + body
            }
            var composition = two(1_920) + two(1_080) + [0x10] + two(number) + [event.boxes.isEmpty ? 0 : 0x80, 0, 0]
            composition.append(UInt8(event.boxes.count))
            for (index, box) in event.boxes.enumerated() {
                composition += two(index) + [0, event.isForced ? 0x40 : 0] + two(box.x) + two(box.y)
            }
            add(0x16, composition)
            add(0x17, [1, 0] + two(0) + two(0) + two(1_920) + two(1_080))
            if !event.boxes.isEmpty { add(0x14, [0, 0, 1, 235, 128, 128, 255]) }
            for (index, box) in event.boxes.enumerated() {
                let line: [UInt8] = [0, 0xC0 | UInt8(box.width >> 8), UInt8(box.width & 0xFF), 1, 0, 0]
                let runs = Array((0..<box.height).map { _ in line }.joined())
                let size = runs.count + 4
                add(
                    0x15,
                    two(index) + [0, 0xC0, UInt8(size >> 16), UInt8(size >> 8 & 0xFF), UInt8(size & 0xFF)]
                        + two(box.width) + two(box.height) + runs)
            }
            add(0x80, [])
        }
        return bytes
    }

    private static func two(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
    private static func four(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
}

/// Bitmap subtitles as pictures with times and places.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct ImageServingTests {
    private struct Cue: Hashable {
        var start: Double
        var end: Double
        var isForced: Bool
        var image: String
        var place: [Double]
    }

    private static let events: [DiscSubtitles.Event] = [
        .init(time: 2, boxes: [(760, 900, 400, 60)]), .init(time: 4, boxes: []),
        .init(time: 5, boxes: [(760, 900, 400, 60)]),
        .init(time: 5.9, boxes: [(100, 20, 200, 40), (760, 900, 402, 60)]), .init(time: 6.5, boxes: []),
        .init(time: 9, boxes: [(760, 900, 400, 64)], isForced: true), .init(time: 11, boxes: []),
        .init(time: 20, boxes: [(760, 900, 404, 60)]),
    ]

    private func film(_ name: String, _ codec: String = "copy") throws -> FilmFolder {
        let folder = try FilmFolder()
        let sup = folder.url.appending(path: "a.sup")
        try Data(DiscSubtitles.file(Self.events)).write(to: sup)
        try ExternalTool.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=60", "-f", "lavfi",
                "-i",
                "sine=r=48000:d=60", "-i", sup.path(), "-map", "0", "-map", "1", "-map", "2", "-c:v", "libx264",
                "-preset",
                "ultrafast", "-bf", "0", "-g", "50", "-c:a", "ac3", "-c:s", codec,
                folder.url.appending(path: name).path(),
            ])
        return folder
    }

    private func get(_ origin: Origin, _ target: String) async throws -> Answered {
        var answer = try await origin.get(target)
        for _ in 0..<20 where answer.status == 503 { answer = try await origin.get(target) }
        return answer
    }

    private func cues(_ origin: Origin, _ folder: String, _ window: Int) async throws -> [Cue] {
        let answer = try await get(origin, folder + "images-1/cues-\(window).json")
        #expect(answer.status == 200, "\(answer.text)")
        let json = try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any]
        let list = try #require(json?["cues"] as? [[String: Any]])
        return try list.map { cue in
            let place = try #require(cue["place"] as? [String: Double])
            return Cue(
                start: try #require(cue["start"] as? Double), end: try #require(cue["end"] as? Double),
                isForced: try #require(cue["forced"] as? Bool), image: try #require(cue["image"] as? String),
                place: ["x", "y", "width", "height"].map { place[$0] ?? -1 })
        }
    }

    private func all(_ origin: Origin, _ folder: String, _ count: Int) async throws -> [Cue] {
        var found: [Cue] = []
        for window in 0..<count {
            for cue in try await cues(origin, folder, window) where !found.contains(cue) { found.append(cue) }
        }
        return found
    }

    /// Shown until something else comes, cleared, forced, two at a time, and never for ever.
    @Test func everyDisplayHasItsTimesAndItsPlace() async throws {
        let films = try film("film.mkv")
        let engine = try films.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(films.root)/film.mkv/~/"
        let (folder, names) = try await origin.segments(base)
        let plan = String(folder.split(separator: "/").last ?? "")
        let root = base + plan + "/"
        let found = try await all(origin, root, names.count)
        let wanted: [(Double, Double, Bool)] = [
            (2, 4, false), (5, 5.9, false), (5.9, 6.5, false), (5.9, 6.5, false), (9, 11, true), (20, 50, false),
        ]
        #expect(found.count == wanted.count)
        for (found, wanted) in zip(found, wanted) {
            #expect(abs(found.start - wanted.0) < 0.025, "\(found)")
            #expect(abs(found.end - wanted.1) < 0.025, "\(found)")
            #expect(found.isForced == wanted.2, "\(found)")
        }
        let first = try #require(found.first?.place)
        for (found, wanted) in zip(first, [760.0 / 1_920, 900.0 / 1_080, 400.0 / 1_920, 60.0 / 1_080]) {
            #expect(abs(found - wanted) < 0.0001)
        }
        // The pictures: their sizes, and white all over.
        for (cue, size) in zip(found, [(400, 60), (400, 60), (200, 40), (402, 60), (400, 64), (404, 60)]) {
            let answer = try await get(origin, root + "images-1/" + cue.image)
            #expect(answer.status == 200)
            #expect(answer.headers["Content-Type"] == "image/png")
            let path = films.url.appending(path: "one.png")
            try Data(answer.bytes).write(to: path)
            let pixels = try ExternalTool.run(
                "ffmpeg",
                ["-v", "error", "-nostdin", "-i", path.path(), "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1"])
            #expect(pixels.count == size.0 * size.1 * 4)
            let isWhite = pixels.allSatisfy { $0 == 255 }
            #expect(isWhite)
        }
        // Equal pictures have equal contents in their names.
        #expect(Set(found.map { $0.image.split(separator: "-").last ?? "" }).count == 5)
        #expect(try await origin.get(root + "images-1/0-0-0123456789abcdef.png").status == 404)
        #expect(try await origin.get(root + "images-2/cues.json").status == 404)
        #expect(try await origin.get(base + "title.json").text.contains("images-1"))
        await engine.stop()
    }

    /// The last window first, by an engine that has read nothing else.
    @Test func windowsDoNotDependOnWhoAskedBefore() async throws {
        let films = try film("film.mkv")
        let base = "/v1/\(films.root)/film.mkv/~/"
        let engine = try films.engine()
        let (folder, names) = try await Origin(engine: engine).segments(base)
        let root = base + String(folder.split(separator: "/").last ?? "") + "/"
        var straight: [[UInt8]] = []
        for window in names.indices {
            straight.append(try await get(Origin(engine: engine), root + "images-1/cues-\(window).json").bytes)
        }
        await engine.stop()
        let other = try films.engine()
        for window in names.indices.reversed() {
            let bytes = try await get(Origin(engine: other), root + "images-1/cues-\(window).json").bytes
            #expect(bytes == straight[window], "window \(window)")
        }
        await other.stop()
    }

    /// The planes of DVD cover the picture. What clears the screen ffmpeg does not write there.
    @Test func discsOfTheOtherKindAreRead() async throws {
        let films = try film("film.mkv", "dvdsub")
        let engine = try films.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(films.root)/film.mkv/~/"
        let (folder, names) = try await origin.segments(base)
        let root = base + String(folder.split(separator: "/").last ?? "") + "/"
        let found = try await all(origin, root, names.count)
        #expect(found.count >= 4, "\(found)")
        let first = try #require(found.first)
        #expect(abs(first.start - 2) < 0.1)
        #expect(abs(first.place[0] - 760.0 / 1_920) < 0.01)
        #expect(abs(first.place[1] - 900.0 / 1_080) < 0.01)
        await engine.stop()
    }
}

@Suite struct ImageNameTests {
    @Test func namesAreReadAsTheyAreWritten() throws {
        let name = try #require(ImageName("12-0-0123456789abcdef.png"))
        #expect(name.segment == 12 && name.number == 0)
        #expect(name.text == "12-0-0123456789abcdef.png")
        let others = [
            "", "12-0-0123456789abcde.png", "012-0-0123456789abcdef.png", "12-0-0123456789ABCDEF.png",
            "a-0-0123456789abcdef.png",
            "12-0-0123456789abcdef", "12-0-0123456789abcdef.png.png", "-1-0-0123456789abcdef.png",
        ]
        for other in others { #expect(ImageName(other) == nil, "\(other)") }
    }
}
