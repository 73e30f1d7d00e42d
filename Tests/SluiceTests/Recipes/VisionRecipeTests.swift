import Foundation
import SluiceBitstream
import TestTools
import Testing

@testable import Sluice

/// T15 and T29: what records of Dolby Vision become, and initialization sections that never change.
@Suite(.serialized, .enabled(if: RecipeInput.isPresent)) struct VisionRecipeTests {
    /// Pictures alone, with a record that says what it wants: no RPUs.
    private static func declared(_ profile: Int, _ compatibility: Int) -> Result<String, any Error> {
        Result {
            let bare = try RecipeInput.copy(RecipeInput.openGroups, "vo.mp4", ["-map", "0:v", "-tag:v", "hvc1"]).get()
            var editor = try MovieEditor(bare)
            try editor.addVision(profile: profile, compatibility: compatibility)
            let path = "\(RecipeInput.folder)/dv\(profile)\(compatibility).mp4"
            try editor.write(path)
            return path
        }
    }

    private func variant(_ made: Presentation) throws -> String {
        try #require(made.master.split(separator: "\n").map(String.init).first { $0.hasPrefix("#EXT-X-STREAM-INF:") })
    }

    private func boxes(_ made: Presentation) throws -> (code: String, boxes: [String]) {
        let track = try #require(try InitializationContents(made.section("video")).tracks.first)
        let entry = try #require(track.entries.first)
        return (entry.code.description, entry.boxes.map(\.type.description))
    }

    private struct Expectation {
        var profile: Int
        var compatibility: Int
        var code: String
        var claim: String?
        var codecs: String
        var range: String
        var box: String?
    }

    @Test func t15RecordsAreServedAsPlayersKnowThem() async throws {
        let list = [
            Expectation(
                profile: 5, compatibility: 0, code: "dvh1", claim: nil, codecs: "CODECS=\"dvh1.05.06\"", range: "PQ",
                box: "dvcC"),
            Expectation(
                profile: 7, compatibility: 6, code: "hvc1", claim: "dvh1.08.06/db1p", codecs: "CODECS=\"hvc1.",
                range: "PQ", box: "dvvC"),
            Expectation(
                profile: 8, compatibility: 1, code: "hvc1", claim: "dvh1.08.06/db1p", codecs: "CODECS=\"hvc1.",
                range: "PQ", box: "dvvC"),
            Expectation(
                profile: 8, compatibility: 2, code: "hvc1", claim: nil, codecs: "CODECS=\"hvc1.", range: "SDR",
                box: nil),
            Expectation(
                profile: 8, compatibility: 4, code: "hvc1", claim: "dvh1.08.06/db4h", codecs: "CODECS=\"hvc1.",
                range: "HLG", box: "dvvC"),
        ]
        for wanted in list {
            let name = "\(wanted.profile).\(wanted.compatibility)"
            let made = try await Presentation(Self.declared(wanted.profile, wanted.compatibility))
            let line = try variant(made)
            let found = try boxes(made)
            #expect(found.code == wanted.code, "\(name)")
            #expect(line.contains(wanted.codecs), "\(name): \(line)")
            #expect(line.contains("VIDEO-RANGE=\(wanted.range)"), "\(name): \(line)")
            let claim = wanted.claim.map { line.contains("SUPPLEMENTAL-CODECS=\"\($0)\"") }
            #expect(claim ?? !line.contains("SUPPLEMENTAL"), "\(name): \(line)")
            let records = found.boxes.filter { ["dvcC", "dvvC", "dvwC"].contains($0) }
            #expect(records == (wanted.box.map { [$0] } ?? []), "\(name)")
        }
    }

    /// Cold, at the fourth and at the last segment, and after three new sessions.
    @Test(arguments: ["h.mp4", "dv81.mp4", "dts.mkv", "opengop.mkv"])
    func t29InitializationSectionsAreTheSameWhereverProductionBegins(name: String) async throws {
        let path = try [
            "h.mp4": RecipeInput.regularMovie, "dv81.mp4": Self.declared(8, 1),
            "dts.mkv": RecipeInput.make(
                "dts.mkv",
                RecipeInput.picture("25", 24) + RecipeInput.tone(24) + RecipeInput.x264
                    + ["-g", "50", "-c:a", "dca", "-strict", "-2"]),
            "opengop.mkv": RecipeInput.openGroups,
        ][name]?.get()
        let source = try #require(path)
        var known: [UInt8]?
        for begin in [0, 3, Int.max, 0, 1, 2] {
            let session = try Session(source)
            let (plan, count) = try await session.open()
            _ = try await session.get("\(plan)/video/seg-\(min(begin, count - 1)).m4s")
            let section = try await session.get("\(plan)/video/init-0.mp4")
            let isSame = known.map { $0 == section } ?? true
            #expect(isSame && !section.isEmpty, "begun at \(begin)")
            known = section
            await session.engine.stop()
        }
    }
}
