import Foundation
import SluiceBitstream
import TestTools
import Testing

@testable import Sluice

/// Times that containers lose, round, wrap or start anew.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct RepairRecipeTests {
    private func times(_ made: Presentation, _ rendition: String) throws -> [Int64] {
        try made.samples(rendition).segments.joined().map(\.presentation)
    }

    private func first(_ made: Presentation) throws -> Double {
        let (timescale, segments) = try made.samples("video")
        return Double(try #require(segments[0].map(\.presentation).min())) / timescale
    }

    // MARK: - Delays

    @Test func soundThatTheContainerDelaysIsHeardThen() async throws {
        let made = try await Presentation(RecipeInput.lateSound)
        for rendition in ["video", "audio-1"] { try made.expectSound(rendition) }
        #expect(try first(made) == 0)
        #expect(abs(try Decoded.onset(made.joined("audio-1")) - 2.569) <= 0.025)
    }

    @Test(arguments: [true, false]) func editListsMoveSoundAndPictures(movesSound: Bool) async throws {
        let input = movesSound ? RecipeInput.delayedSound : RecipeInput.delayedPictures
        let made = try await Presentation(input)
        let source = try input.get()
        let wanted = try Decoded.onset(source) - Decoded.firstPicture(source)
        #expect(abs(wanted - (movesSound ? 1.7 : 0.3)) <= 0.002, "the input is what it should be")
        let found = try Decoded.onset(made.joined("audio-1")) - first(made)
        #expect(abs(found - wanted) <= 0.002)
    }

    @Test func aHoleInTheSoundKeepsItsPlace() async throws {
        let made = try await Presentation(RecipeInput.pausedSound)
        let text = try ExternalTool.text(
            "ffprobe",
            [
                "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                try RecipeInput.pausedSound.get(),
            ])
        let source = text.split(separator: "\n").compactMap { Double($0.prefix { $0 != "," }) }
        let place = try #require(
            zip(source.dropFirst(), source).map { $0 - $1 }.enumerated().max { $0.element < $1.element })
        #expect(place.element > 3.9)
        let (timescale, segments) = try made.samples("audio-1")
        let all = segments.joined().map { Double($0.presentation) / timescale }
        let found = try #require(zip(all.dropFirst(), all).map { $0 - $1 }.enumerated().max { $0.element < $1.element })
        let origin = try Decoded.firstPicture(RecipeInput.pausedSound.get())
        #expect(abs(all[found.offset + 1] - (source[place.offset + 1] - origin)) <= 0.002)
        #expect(abs(found.element - place.element) <= 0.032)
    }

    // MARK: - Clocks

    @Test func clocksThatWrapRunOn() async throws {
        for (wrapped, twin) in [
            (RecipeInput.wrapped, RecipeInput.unwrapped), (RecipeInput.wrappedFlash, RecipeInput.unwrappedFlash),
        ] {
            let (made, wanted) = (try await Presentation(wrapped), try await Presentation(twin))
            for rendition in ["video", "audio-1"] {
                try made.expectSound(rendition)
                #expect(try made.lines(rendition).allSatisfy { $0 != "#EXT-X-DISCONTINUITY" })
                #expect(try times(made, rendition) == times(wanted, rendition), "\(rendition)")
            }
        }
    }

    @Test func aClockThatStartsAnewGoesOnWhereTheOldOneEnded() async throws {
        let made = try await Presentation(RecipeInput.twoClocks)
        let (timescale, pictures) = try made.samples("video")
        let shown = pictures.joined().map { Double($0.presentation) / timescale }.sorted()
        #expect(shown.count == 1_200)
        #expect(abs((shown.last ?? 0) - 47.96) < 0.001)
        let (rate, sounds) = try made.samples("audio-1")
        let heard = sounds.joined().map { Double($0.presentation) / rate }
        let part = try await Presentation(RecipeInput.transport)
        let count = try part.samples("audio-1").segments.joined().count
        try #require(heard.count > count)
        // Sound and pictures begin each part with the same distance, to a frame of sound.
        #expect(abs((heard[count] - shown[600]) - (heard[0] - shown[0])) <= 0.033)
        for rendition in ["video", "audio-1"] { try made.expectSound(rendition) }
    }

    // MARK: - Offsets

    @Test func picturesWithoutOffsetsStandWhereTheirTwinsDo() async throws {
        let wanted = try await Presentation(RecipeInput.regularMovie)
        for input in [RecipeInput.withoutOffsets, RecipeInput.offsetsToTheMiddle] {
            let made = try await Presentation(input)
            for rendition in ["video", "audio-1"] {
                #expect(try times(made, rendition) == times(wanted, rendition), "\(input) \(rendition)")
            }
        }
        let matroska = try await Presentation(RecipeInput.slots)
        let twin = try await Presentation(RecipeInput.slotsTwin)
        #expect(try times(matroska, "video") == times(twin, "video"))
    }

    /// `title.json` says where times come from, and how many clocks and configurations there are.
    @Test func titlesSayWhatWasRepaired() async throws {
        for (input, wanted) in [
            (RecipeInput.regularMovie, #""times":"container""#), (RecipeInput.withoutOffsets, #""times":"decode""#),
            (RecipeInput.slots, #""times":"coded""#), (RecipeInput.twoClocks, #""clocks":2"#),
            (RecipeInput.widthChange, #""configurations":2"#),
        ] {
            let session = try Session(try input.get())
            _ = try await session.open()
            let text = String(decoding: try await session.get("title.json"), as: UTF8.self)
            let plain = text.filter { !$0.isWhitespace }
            #expect(plain.contains(wanted), "\(text)")
            await session.engine.stop()
        }
    }

    // MARK: - Any start

    /// A new session for the fourth and for the last segment, which is asked for first.
    @Test(arguments: [
        "adelay.mkv", "gap.mkv", "wrap.ts", "wrap.flv", "disc.ts", "noctts.mp4", "partial.mp4", "slots.mkv", "wide.ts",
    ])
    func repairedSegmentsAreTheSameWhereverAViewerBegins(name: String) async throws {
        let inputs = [
            "adelay.mkv": RecipeInput.lateSound, "gap.mkv": RecipeInput.pausedSound, "wrap.ts": RecipeInput.wrapped,
            "wrap.flv": RecipeInput.wrappedFlash, "disc.ts": RecipeInput.twoClocks,
            "noctts.mp4": RecipeInput.withoutOffsets, "partial.mp4": RecipeInput.offsetsToTheMiddle,
            "slots.mkv": RecipeInput.slots, "wide.ts": RecipeInput.widthChange,
        ]
        let path = try #require(try inputs[name]?.get())
        let renditions = name == "wide.ts" ? ["video"] : ["video", "audio-1"]
        let cold = try Session(path)
        let (plan, count) = try await cold.open()
        try #require(count >= 5)
        var straight: [[UInt8]] = []
        for rendition in renditions {
            for index in 0..<count { straight.append(try await cold.get("\(plan)/\(rendition)/seg-\(index).m4s")) }
        }
        await cold.engine.stop()
        for index in [3, count - 1] {
            let session = try Session(path)
            #expect(try await session.open() == (plan, count))
            for (number, rendition) in renditions.enumerated() {
                let segment = try await session.get("\(plan)/\(rendition)/seg-\(index).m4s")
                #expect(segment == straight[number * count + index], "\(name): \(rendition) \(index) asked for first")
            }
            await session.engine.stop()
        }
    }
}
