import Foundation
import SluiceBitstream
import TestTools
import Testing

@testable import Sluice

/// Streams that change, are dead or damaged, and what initialization sections say of all of them.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct DamageRecipeTests {
    /// Every sample is a chain of units with lengths that ends where the sample does.
    private func expectWholeChains(_ made: Presentation) throws {
        let defaults = try InitializationContents(made.section("video")).tracks.reduce(into: [:]) {
            $0[$1.id] = $1.defaults
        }
        for index in try made.durations("video").indices {
            let bytes = try made.segment("video", index)
            let run = try #require(FragmentContents.all(in: bytes, defaults: defaults).first?.tracks.first)
            for (number, sample) in run.samples.enumerated() {
                var place = sample.offset
                let end = place + Int(sample.size)
                while place + 4 <= end {
                    place += 4 + bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
                }
                #expect(place == end, "segment \(index), sample \(number)")
            }
        }
    }

    private func entry(_ made: Presentation) throws -> (
        track: InitializationContents.Track, entry: InitializationContents.Entry
    ) {
        let track = try #require(try InitializationContents(made.section("video")).tracks.first)
        return (track, try #require(track.entries.first))
    }

    private func attribute(_ made: Presentation, _ name: String) throws -> String {
        let line = try #require(made.master.split(separator: "\n").first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
        let rest = try #require(line.range(of: name + "=")).upperBound
        return line[rest...].hasPrefix("\"")
            ? String(line[rest...].dropFirst().prefix { $0 != "\"" }) : String(line[rest...].prefix { $0 != "," })
    }

    // MARK: - Damage

    @Test(arguments: [true, false])
    func anotherWidthInMidTitleGetsAnInitializationSectionOfItsOwn(isTransport: Bool) async throws {
        let made = try await Presentation(isTransport ? RecipeInput.widthChange : RecipeInput.widthChangeMatroska)
        let list = try made.lines("video")
        #expect(list.count { $0 == "#EXT-X-DISCONTINUITY" } == 1)
        #expect(list.count { $0.hasPrefix("#EXT-X-MAP") } == 2)
        let seam = try #require(list.firstIndex(of: "#EXT-X-DISCONTINUITY"))
        let before = list[..<seam].count { $0.hasPrefix("#EXTINF") }
        let count = try made.durations("video").count
        for (version, segments) in [(0, 0..<before), (1, before..<count)] {
            var bytes = [UInt8](
                try Data(contentsOf: URL(filePath: "\(made.folder)/video/init-\(version).mp4")))
            for index in segments { bytes += try made.segment("video", index) }
            let path = "\(made.folder)/part-\(version).mp4"
            try Data(bytes).write(to: URL(filePath: path))
            let text = try ExternalTool.text(
                "ffprobe", ["-v", "error", "-show_entries", "frame=width", "-of", "csv=p=0", path])
            let widths = text.split(separator: "\n").map { $0.prefix { $0 != "," } }
            #expect(widths.count == 300 && Set(widths) == [version == 0 ? "160" : "320"])
        }
    }

    @Test func aSoundWithoutPacketsIsNotOffered() async throws {
        let made = try await Presentation(RecipeInput.deadSound)
        #expect(!made.master.contains("#EXT-X-MEDIA"))
        #expect(try attribute(made, "CODECS").hasPrefix("avc1.") && !attribute(made, "CODECS").contains(","))
        #expect(try Decoded.pictures(made.joined("video")) == 600)
    }

    @Test func recordingsBeginWithTheirFirstKey() async throws {
        let made = try await Presentation(RecipeInput.joinedInside)
        try made.expectSound("video")
        try expectWholeChains(made)
        #expect(try entry(made).entry.width == 160)
        let decoded = try Decoded.pictures(made.joined("video"))
        #expect((325...400).contains(decoded), "\(decoded) of the last 378")
    }

    @Test func lostPacketsMoveNoPicture() async throws {
        let (made, wanted) = (try await Presentation(RecipeInput.lossy), try await Presentation(RecipeInput.transport))
        try expectWholeChains(made)
        for (rendition, least) in [("video", 540), ("audio-1", 675)] {
            try made.expectSound(rendition)
            let (found, whole) = (try made.timed(rendition), try wanted.timed(rendition))
            #expect(found.count >= least)
            let places = Dictionary(grouping: whole, by: \.payload)
            let counts = Dictionary(grouping: found, by: \.payload)
            let alone = found.filter { places[$0.payload]?.count == 1 && counts[$0.payload]?.count == 1 }
            let moved = alone.filter { places[$0.payload]?.first?.presentation != $0.presentation }
            #expect(rendition != "video" || alone.count > 400)
            #expect(moved.isEmpty, "\(rendition): \(moved.count)")
        }
    }

    @Test func aChainThatOverrunsItsSampleIsCut() async throws {
        let made = try await Presentation(RecipeInput.overrun)
        try made.expectSound("video")
        try expectWholeChains(made)
        let count = try made.samples("video").segments.joined().count
        #expect((599...600).contains(count))
    }

    // MARK: - What sections and playlists say

    /// ISO/IEC 14496-15 Annex E: profile, compatibility flags with the bits reversed, tier and level, constraints.
    private func codec(_ record: [UInt8]) -> String {
        let flags = record[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        var reversed: UInt32 = 0
        for bit in 0..<32 where flags >> UInt32(bit) & 1 == 1 { reversed |= 1 << UInt32(31 - bit) }
        var constraints = Array(record[6..<12])
        while constraints.last == 0 { constraints.removeLast() }
        let space = ["", "A", "B", "C"][Int(record[1] >> 6)]
        let tier = record[1] & 0x20 != 0 ? "H" : "L"
        func hex(_ value: UInt32) -> String { String(value, radix: 16, uppercase: true) }
        return
            (["hvc1", space + "\(record[1] & 31)", hex(reversed), tier + "\(record[12])"]
            + constraints.map { hex(UInt32($0)) }).joined(separator: ".")
    }

    @Test(arguments: [true, false]) func recordsHoldTheParameterSetsAndNothingElse(isEmpty: Bool) async throws {
        let made = try await Presentation(isEmpty ? RecipeInput.emptyRecord : RecipeInput.openGroupsMovie)
        let entry = try entry(made).entry
        #expect(entry.code == "hvc1")
        let record = try #require(entry.payload("hvcC"))
        var types: [UInt8] = []
        var place = 23
        for _ in 0..<record[22] {
            types.append(record[place] & 63)
            #expect(record[place] & 0x80 != 0, "complete")
            let count = Int(record[place + 1]) << 8 | Int(record[place + 2])
            #expect(count >= 1)
            place += 3
            for _ in 0..<count { place += 2 + (Int(record[place]) << 8 | Int(record[place + 1])) }
        }
        #expect(place == record.count)
        #expect(types == [32, 33, 34])
        #expect(try attribute(made, "CODECS").split(separator: ",").first.map(String.init) == codec(record))
    }

    @Test func ratesAreThoseOfThePictures() async throws {
        for (input, rate) in [
            (RecipeInput.television, "59.940"), (RecipeInput.wrongDuration, "59.940"), (RecipeInput.variable, "60.000"),
        ] {
            let made = try await Presentation(input)
            #expect(try attribute(made, "FRAME-RATE") == rate)
            try made.expectSound("video")
        }
    }

    @Test func geometryIsThatOfTheSource() async throws {
        let wide = try await Presentation(RecipeInput.anamorphic)
        let (track, picture) = try entry(wide)
        #expect(track.width >> 16 == 1_024 && track.height >> 16 == 576)
        #expect(picture.payload("pasp") == [0, 0, 0, 64, 0, 0, 0, 45])

        let turned = try await Presentation(RecipeInput.rotated)
        func rotation(_ path: String) throws -> String {
            try ExternalTool.text(
                "ffprobe",
                [
                    "-v", "error", "-select_streams", "v", "-show_entries", "stream_side_data=rotation", "-of",
                    "csv=p=0", path,
                ])
        }
        let wanted = try rotation(RecipeInput.rotated.get())
        #expect(wanted.contains("90"))
        #expect(try rotation(turned.joined("video")) == wanted)

        let cropped = try await Presentation(RecipeInput.cropped)
        #expect(try attribute(cropped, "RESOLUTION") == "1920x1080")
        #expect(try entry(cropped).entry.height == 1_080)
    }
}

extension Presentation {
    /// Presentation and bytes of every sample.
    func timed(_ rendition: String) throws -> [(presentation: Int64, payload: [UInt8])] {
        let defaults = try InitializationContents(section(rendition)).tracks.reduce(into: [:]) {
            $0[$1.id] = $1.defaults
        }
        var all: [(presentation: Int64, payload: [UInt8])] = []
        for index in try durations(rendition).indices {
            let bytes = try segment(rendition, index)
            let run = try #require(FragmentContents.all(in: bytes, defaults: defaults).first?.tracks.first)
            var time = Int64(try #require(run.decodeTime))
            for sample in run.samples {
                let payload = Array(bytes[sample.offset..<(sample.offset + Int(sample.size))])
                all.append((time + sample.compositionOffset, payload))
                time += Int64(sample.duration)
            }
        }
        return all
    }
}
