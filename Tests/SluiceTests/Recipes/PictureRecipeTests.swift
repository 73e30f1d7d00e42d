import Foundation
import Testing

@testable import Sluice

/// Reordered pictures, open groups, wrong sync tables, damaged offsets, and rates.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct PictureRecipeTests {
    /// Keys are presented long after they are decoded.
    @Test func deepReorderingIsCutAtTheSamePicturesInBothContainers() async throws {
        let matroska = try await Presentation(RecipeInput.deepPyramid)
        let movie = try await Presentation(RecipeInput.deepPyramidMovie)
        #expect(try matroska.durations("video") == movie.durations("video"))
        for made in [matroska, movie] {
            try made.expectSound("video")
            #expect(try Decoded.pictures(made.joined("video")) == Decoded.pictures(RecipeInput.deepPyramid.get()))
            #expect(try made.errors() == [])
        }
    }

    @Test func openGroupsLoseOnlyTheLeadingPicturesOfTheFirstPoint() async throws {
        let made = try await Presentation(RecipeInput.openGroups)
        #expect(try Decoded.pictures(made.joined("video")) == 576)
        #expect(try made.errors() == [])
        let samples = try made.samples("video").segments
        for index in 1..<samples.count {
            let rest = samples[index...].reduce(0) { $0 + $1.count }
            let point = samples[index][0].presentation
            let leading = samples[index].count { $0.presentation < point }
            let decoded = try Decoded.pictures(made.joined("video", from: index))
            #expect(decoded == rest - leading, "from segment \(index): \(leading) of \(rest) pictures lead")
        }
    }

    @Test func aSyncTableWithOneEntryIsNotBelieved() async throws {
        let made = try await Presentation(RecipeInput.oneSyncSample)
        let sound = try await Presentation(RecipeInput.openGroups)
        #expect(try made.lines("video") == sound.lines("video"))
        let samples = try made.samples("video").segments
        #expect(samples.joined().count { $0.isSync } == 12, "a point every 48 of 576 pictures")
        #expect(try Decoded.pictures(made.joined("video")) == 576)
    }

    /// One picture is lost; the others keep their time and the playlist stays true.
    @Test func oneWildCompositionOffsetCostsOnePicture() async throws {
        let made = try await Presentation(RecipeInput.wildOffset)
        try made.expectSound("video")
        #expect(abs(try made.durations("video").reduce(0, +) - 12) <= 0.041)
        let count = try made.samples("video").segments.joined().count
        #expect((298...299).contains(count), "\(count) of 300 pictures")
        #expect(try made.errors().subtracting(["MA-FRAMERATE"]) == [])
    }

    @Test func bandwidthCoversThePeakAndTheAverageIsTrue() async throws {
        let made = try await Presentation(RecipeInput.peak)
        let durations = try made.durations("video")
        var bits = 0.0
        var peak = 0.0
        for (index, duration) in durations.enumerated() {
            let size = Double(try made.segment("video", index).count * 8)
            bits += size
            peak = max(peak, size / duration)
        }
        let average = bits / durations.reduce(0, +)
        #expect(peak > average * 1.5, "the input has a peak")
        let values = try #require(made.master.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
            .dropFirst(18).split(separator: ",")
        func value(_ name: String) throws -> Double {
            try #require(values.first { $0.hasPrefix(name + "=") }.flatMap { Double($0.dropFirst(name.count + 1)) })
        }
        #expect(try value("BANDWIDTH") >= peak)
        #expect(abs(try value("AVERAGE-BANDWIDTH") / average - 1) <= 0.1)
    }

    /// Sound whose first packet lies before 0 stays with the pictures as the source has it, and no time is negative.
    ///
    /// ffmpeg's MP4 begins with both; its Matroska stamps the sound 7 ms before the pictures.
    @Test(arguments: [("aac", "late.mp4"), ("libopus", "late.mkv")])
    func primingMovesNoSound(codec: String, name: String) async throws {
        let made = try await Presentation(RecipeInput.lateTone(codec, name))
        for rendition in ["video", "audio-1"] { try made.expectSound(rendition) }
        let (timescale, segments) = try made.samples("video")
        let first = Double(try #require(segments[0].map(\.presentation).min())) / timescale
        let source = try RecipeInput.lateTone(codec, name).get()
        let wanted = try Decoded.onset(source) - Decoded.firstPicture(source)
        #expect(abs(wanted - 1) <= (name == "late.mp4" ? 0.001 : 0.008))
        #expect(abs(try Decoded.onset(made.joined("audio-1")) - first - wanted) <= 0.001)
    }
}
