import Foundation
import SluiceBitstream
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// Films of high range that others made, beside what the specifications make of them.
@Suite(.serialized, .enabled(if: SharedMaterial.file("media/hdr") != nil)) struct HighRangeTests {
    /// What a master playlist and a sample entry have to say.
    struct Expected: Sendable {
        var file: String
        var entry: String
        var codecs: String
        var supplemental: String?
        var range: String
        /// Boxes behind the configuration of the codec.
        var boxes: [String]
        /// Profile, compatibility and level of the record.
        var record: [Int]?
    }

    static let table: [Expected] = [
        Expected(
            file: "fate_dovi-p5.mp4", entry: "dvh1", codecs: "dvh1.05.04", supplemental: nil, range: "PQ",
            boxes: ["dvcC", "colr"], record: [5, 0, 4]),
        // Its enhancement layer is a second track.
        Expected(
            file: "fate_dovi-p7.mp4", entry: "hvc1", codecs: "hvc1.2.4.L120.90", supplemental: "dvh1.08.04/db1p",
            range: "PQ", boxes: ["dvvC", "colr", "clli", "mdcv"], record: [8, 1, 4]),
        Expected(
            file: "dovi_regular.mkv", entry: "hvc1", codecs: "hvc1.2.4.H153.90", supplemental: "dvh1.08.01/db1p",
            range: "PQ", boxes: ["dvvC", "colr", "clli", "mdcv"], record: [8, 1, 1]),
        // The same pictures without a container: the RPUs speak for themselves.
        Expected(
            file: "dovi_regular.hevc", entry: "hvc1", codecs: "hvc1.2.4.H153.90", supplemental: "dvh1.08.01/db1p",
            range: "PQ", boxes: ["dvvC", "colr", "clli", "mdcv"], record: [8, 1, 1]),
        Expected(
            file: "exo_dolbyVision-hdr.MOV", entry: "hvc1", codecs: "hvc1.2.4.L93.B0", supplemental: "dvh1.08.02/db4h",
            range: "HLG", boxes: ["dvvC", "colr"], record: [8, 4, 2]),
        Expected(
            file: "exo_video_dovi_1920x1080_60fps_dvav_09.mp4", entry: "avc1", codecs: "avc1.64002A", supplemental: nil,
            range: "SDR", boxes: [], record: nil),
        Expected(
            file: "exo_video_dovi_3840x2160_30fps_dav1_10.mp4", entry: "dav1", codecs: "dav1.10.07", supplemental: nil,
            range: "PQ", boxes: ["dvvC", "colr"], record: [10, 0, 7]),
        Expected(
            file: "exo_hdr10-av1.mp4", entry: "av01", codecs: "av01.0.31M.10.0.111.09.16.09.0", supplemental: nil,
            range: "PQ", boxes: ["colr"], record: nil),
        Expected(
            file: "exo_hlg10-color-test.mp4", entry: "hvc1", codecs: "hvc1.2.4.L153", supplemental: nil, range: "HLG",
            boxes: ["colr"], record: nil),
        Expected(
            file: "fate_hdr10tags-both.mkv", entry: "hvc1", codecs: "hvc1.2.4.L93.90", supplemental: nil, range: "PQ",
            boxes: ["colr", "clli", "mdcv"], record: nil),
        Expected(
            file: "hdr10plus_regular.hevc", entry: "hvc1", codecs: "hvc1.2.4.H153.90", supplemental: nil, range: "PQ",
            boxes: ["colr", "clli", "mdcv"], record: nil),
        // Nothing names its colour.
        Expected(
            file: "fate_hdr10_plus_vp9_sample.mkv", entry: "vp09", codecs: "vp09.02.31.10", supplemental: nil,
            range: "SDR", boxes: [], record: nil),
    ]

    @Test(arguments: table)
    func playlistsAndEntriesSayWhatTheSpecificationsSay(_ expected: Expected) async throws {
        var library = Library()
        let folder = try #require(SharedMaterial.file("media/hdr"))
        try library.mount(folder)
        let engine = Engine(library: library, graphs: try FilmFolder.graphs(), options: Engine.Options())
        let origin = Origin(engine: engine)
        let base = "/v1/hdr/\(expected.file)/~/"
        let master = try await origin.get(base + "master.m3u8")
        try #require(master.status == 200, "\(master.text)")
        guard case .multivariant(let playlist) = try PlaylistDocument(text: master.text) else {
            Issue.record("no multivariant playlist")
            return
        }
        let variant = try #require(playlist.variants.first)
        #expect(variant.codecs.first == expected.codecs)
        #expect(variant.supplementalCodecs == [expected.supplemental].compactMap(\.self))
        #expect(variant.videoRange?.rawValue == expected.range && variant.frameRate != nil)
        let (place, _) = try await origin.segments(base)
        let section = try InitializationContents(try await origin.get(place + "video/init-0.mp4").bytes)
        let entry = section.tracks[0].entries[0]
        #expect(entry.code.description == expected.entry)
        let boxes = entry.boxes.map(\.type.description)
        let known = ["dvcC", "dvvC", "colr", "clli", "mdcv"]
        #expect(boxes.filter { known.contains($0) } == expected.boxes, "\(boxes)")
        let record = try entry.boxes.first { ["dvcC", "dvvC"].contains($0.type.description) }
            .map { try DolbyVisionConfiguration($0.payload) }
        #expect(record.map { [$0.profile, $0.compatibility, $0.level] } == expected.record)
        #expect(record?.hasEnhancementLayer != true && record?.hasBaseLayer != false)
        await engine.stop()
    }

    /// Mastering display and light levels as ffprobe finds them in the source's own pictures.
    @Test(arguments: ["hdr10plus_regular.hevc", "dovi_regular.mkv", "fate_dovi-p7.mp4"])
    func volumesAreThoseOfThePictures(_ file: String) async throws {
        var library = Library()
        let folder = try #require(SharedMaterial.file("media/hdr"))
        try library.mount(folder)
        let engine = Engine(library: library, graphs: try FilmFolder.graphs(), options: Engine.Options())
        let origin = Origin(engine: engine)
        let (place, _) = try await origin.segments("/v1/hdr/\(file)/~/")
        let section = try InitializationContents(try await origin.get(place + "video/init-0.mp4").bytes)
        let entry = section.tracks[0].entries[0]
        let light = try #require(entry.payload("clli"))
        let volume = try #require(entry.payload("mdcv"))
        let frame = try ExternalTool.text(
            "ffprobe",
            ["-v", "error", "-show_frames", "-read_intervals", "%+#1", "-select_streams", "v", folder + "/" + file])
        func number(_ name: String) -> Int? {
            frame.firstMatch(of: try! Regex("\(name)=(\\d+)")).flatMap { Int($0.output[1].substring ?? "") }
        }
        #expect(number("max_content") == Int(light[0]) << 8 | Int(light[1]))
        #expect(number("max_average") == Int(light[2]) << 8 | Int(light[3]))
        let peak = volume[16..<20].reduce(0) { $0 << 8 | Int($1) }
        #expect(number("max_luminance") == peak, "\(frame)")
        #expect(number("green_x") == Int(volume[0]) << 8 | Int(volume[1]))
        await engine.stop()
    }
}
