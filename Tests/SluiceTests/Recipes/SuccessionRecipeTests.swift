import Foundation
import SluiceBitstream
import TestTools
import Testing

@testable import Sluice

/// T21: streams of a transport stream that others take over from.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct SuccessionRecipeTests {
    /// Where a playlist has discontinuities, counted in segments, and how many initialization sections it names.
    private func seams(_ made: Presentation, _ rendition: String) throws -> (places: [Int], sections: Int) {
        var (places, count) = ([Int](), 0)
        let list = try made.lines(rendition)
        for line in list {
            if line.hasPrefix("#EXTINF") { count += 1 }
            if line == "#EXT-X-DISCONTINUITY" { places.append(count) }
        }
        return (places, list.count { $0.hasPrefix("#EXT-X-MAP") })
    }

    /// Everything of one initialization section in a file.
    private func part(_ made: Presentation, _ rendition: String, _ version: Int, _ range: Range<Int>) throws -> String {
        var bytes = [UInt8](
            try Data(contentsOf: URL(filePath: "\(made.folder)/\(rendition)/init-\(version).mp4")))
        for index in range { bytes += try made.segment(rendition, index) }
        let path = "\(made.folder)/\(rendition)-part-\(version).mp4"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    private func probe(_ path: String, _ entries: String) throws -> [String] {
        let text = try ExternalTool.text(
            "ffprobe", ["-v", "error", "-count_frames", "-show_entries", "stream=\(entries)", "-of", "csv=p=0", path])
        return text.split(whereSeparator: { $0 == "\n" || $0 == "," }).map(String.init)
    }

    @Test func t21OtherIdentifiersAreADiscontinuityInEveryRendition() async throws {
        let made = try await Presentation(RecipeInput.otherStreams)
        for rendition in ["video", "audio-1"] {
            let found = try seams(made, rendition)
            #expect(found.places == [6] && found.sections == 2, "\(rendition)")
        }
        let names = try made.lines("video").filter { $0.hasPrefix("#EXTINF") }.count
        #expect(names == 12)
        #expect(try probe(part(made, "video", 0, 0..<6), "width,nb_read_frames") == ["160", "600"])
        #expect(try probe(part(made, "video", 1, 6..<12), "width,nb_read_frames") == ["320", "600"])
        #expect(try probe(part(made, "audio-1", 0, 0..<6), "codec_name").first == "ac3")
        #expect(try probe(part(made, "audio-1", 1, 6..<12), "codec_name").first == "aac")
        #expect(made.master.contains("ac-3,mp4a.40.2"))
        #expect(try made.errors(["--decode"]) == [])
    }

    @Test func t21AnchoredSegmentsAreThoseOfAColdRun() async throws {
        let path = try RecipeInput.otherStreams.get()
        let cold = try Session(path)
        let (plan, count) = try await cold.open()
        for rendition in ["video", "audio-1"] {
            for index in [5, 6, 7, 11] {
                let name = "\(plan)/\(rendition)/seg-\(index).m4s"
                let session = try Session(path)
                _ = try await session.open()
                let isSame = try await session.get(name) == cold.get(name)
                #expect(isSame, "\(name)")
                await session.engine.stop()
            }
        }
        #expect(count == 12)
        await cold.engine.stop()
    }

    @Test func otherProgramsRatesAndCodecsFollowEachOther() async throws {
        let made = try await Presentation(RecipeInput.otherPrograms)
        let pictures = try seams(made, "video")
        #expect(try seams(made, "audio-1").places == pictures.places)
        #expect(pictures.places == [6, 12, 15] && pictures.sections == 4)
        for rendition in ["video", "audio-1"] {
            let (_, segments) = try made.samples(rendition)
            for (index, samples) in segments.enumerated().dropFirst() {
                let before = try #require(segments[index - 1].last)
                #expect(before.decode + before.duration == samples.first?.decode, "\(rendition) \(index)")
            }
        }
        #expect(try probe(part(made, "video", 2, 12..<15), "codec_name,nb_read_frames") == ["hevc", "600"])
        #expect(try probe(part(made, "video", 3, 15..<21), "codec_name,nb_read_frames") == ["h264", "600"])
        let rates = try (0..<4).map { version in
            try probe(part(made, "audio-1", version, [0..<6, 6..<12, 12..<15, 15..<21][version]), "sample_rate")
        }
        #expect(rates == [["48000"], ["48000"], ["44100"], ["48000"]])
        #expect(try made.errors() == [])
    }

    @Test func anotherCodingUnderTheSameIdentifierIsADiscontinuity() async throws {
        let made = try await Presentation(RecipeInput.otherCoding)
        #expect(try seams(made, "audio-1").places == [6])
        #expect(try probe(part(made, "audio-1", 1, 6..<9), "codec_name").first == "aac")
        #expect(try made.errors(["--decode"]) == [])
    }
}
