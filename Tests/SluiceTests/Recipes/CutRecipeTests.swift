import Foundation
import Testing

@testable import Sluice

/// Where titles are cut, and that it does not matter where a viewer begins.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct CutRecipeTests {
    /// The pictures that the coder was told to make keys, to the nearest one.
    private let keys = [0, 6.507, 13.096, 18.936, 26.735, 30.614, 36.078, 42.417, 49.216, 54.012]

    @Test func irregularGroupsAreCutAtTheirKeysAlone() async throws {
        let made = try await Presentation(RecipeInput.irregular)
        let durations = try made.durations("video")
        #expect(durations.count == keys.count)
        var start = 0.0
        for (index, duration) in durations.enumerated() {
            #expect(abs(start - keys[index]) < 0.001, "segment \(index) begins at \(start)")
            start += duration
        }
        #expect(abs(start - 60.06) <= 0.05, "1,440 pictures of 1001/24000 s")
        for rendition in ["video", "audio-1"] { try made.expectSound(rendition) }
        let (timescale, segments) = try made.samples("video")
        for (index, samples) in segments.enumerated() {
            #expect(
                abs(Double(samples[0].presentation - segments[0][0].presentation) / timescale - keys[index]) < 0.001)
        }
        #expect(try Decoded.pictures(made.joined("video")) == Decoded.pictures(RecipeInput.irregular.get()))
        #expect(try made.errors(["--decode"]) == [])
    }

    @Test func threeContainersGiveTheSameDurations() async throws {
        let wanted = try await Presentation(RecipeInput.irregular).durations("video")
        for input in [RecipeInput.irregularMovie, RecipeInput.irregularTransport] {
            let found = try await Presentation(input).durations("video")
            #expect(found.count == wanted.count)
            for (found, wanted) in zip(found, wanted) { #expect(abs(found - wanted) <= 0.001) }
        }
    }

    @Test func sparseAndMissingCuesLoseNoCut() async throws {
        let wanted = try await Presentation(RecipeInput.irregular).durations("video")
        for input in [RecipeInput.sparse, RecipeInput.withoutCues] {
            let made = try await Presentation(input)
            #expect(try made.durations("video") == wanted)
            #expect((try made.durations("video").max() ?? 9) <= 8)
            #expect(try made.errors() == [])
        }
    }

    /// A new session for each segment, which is asked for first.
    @Test(arguments: ["irregular", "h", "opengop", "sparse", "nocues"])
    func anySegmentAskedForFirstIsThatOfAStraightRun(name: String) async throws {
        let input = [
            "irregular": RecipeInput.irregular, "h": RecipeInput.regularMovie, "opengop": RecipeInput.openGroups,
            "sparse": RecipeInput.sparse, "nocues": RecipeInput.withoutCues,
        ][name]
        let path = try #require(try input?.get())
        let cold = try Session(path)
        let (plan, count) = try await cold.open()
        // Of ten cue points of the sparse file three are left; the plan of an index knows no others.
        #expect(count >= (name == "sparse" ? 3 : 6))
        var section: [[UInt8]] = []
        var straight: [[UInt8]] = []
        for rendition in ["video", "audio-1"] {
            section.append(try await cold.get("\(plan)/\(rendition)/init-0.mp4"))
            for index in 0..<count { straight.append(try await cold.get("\(plan)/\(rendition)/seg-\(index).m4s")) }
        }
        await cold.engine.stop()
        for index in 1..<count {
            let session = try Session(path)
            #expect(try await session.open() == (plan, count))
            for (number, rendition) in ["video", "audio-1"].enumerated() {
                let segment = try await session.get("\(plan)/\(rendition)/seg-\(index).m4s")
                #expect(segment == straight[number * count + index], "\(name): \(rendition) \(index) asked for first")
                let again = try await session.get("\(plan)/\(rendition)/init-0.mp4")
                #expect(again == section[number], "\(name): \(rendition) after segment \(index)")
            }
            await session.engine.stop()
        }
    }

    @Test func aSliverAtTheEndIsNoSegmentOfItsOwn() async throws {
        let made = try await Presentation(RecipeInput.sliver)
        let durations = try made.durations("audio-1")
        #expect(durations.allSatisfy { $0 >= 0.1 })
        // From the sound itself to all frames of 1,024 samples.
        #expect((30.000...30.047).contains(durations.reduce(0, +)))
        #expect(try made.errors(["--decode"]) == [])
    }
}
