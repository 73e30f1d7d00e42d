import Foundation
import SluiceBitstream
import SluiceCore
import SluiceNodes
import TestTools
import Testing

@testable import Sluice

/// Dolby Vision and high range as playlists, initialization sections and samples say them.
@Suite(.serialized) struct VisionServingTests {
    /// What a title says of its pictures.
    private struct Served {
        var line: String
        var section: InitializationContents
        /// Payloads of the samples of the first segment.
        var samples: [[UInt8]]
        var facts: String

        var entry: InitializationContents.Entry { section.tracks[0].entries[0] }
        func box(_ type: FourCC) -> [UInt8]? { entry.payload(type) }

        /// Types of the units of every sample.
        var units: [[HEVCUnitType]] {
            samples.map { sample in
                sample.withUnsafeBytes { bytes in
                    LengthPrefixedUnits(bytes).map { HEVCUnitType(header: bytes[$0.lowerBound]) }
                }
            }
        }

        /// The RPUs of every sample.
        var rpus: [DolbyVisionRPU] {
            samples.flatMap { sample in
                sample.withUnsafeBytes { bytes in
                    LengthPrefixedUnits(bytes).filter { HEVCUnitType(header: bytes[$0.lowerBound]) == .dolbyRPU }
                        .compactMap { try? DolbyVisionRPU(unit: Array(bytes[$0])) }
                }
            }
        }
    }

    private func serve(_ origin: Origin, _ film: String, _ options: String = "") async throws -> Served {
        let base = "/v1/\(film)/~\(options)/"
        let master = try await origin.get(base + "master.m3u8")
        try #require(master.status == 200, "\(master.text)")
        let line = try #require(master.lines.first { $0.hasPrefix("#EXT-X-STREAM-INF") })
        let (folder, names) = try await origin.segments(base)
        let section = try await origin.get(folder + "video/init-0.mp4")
        let segment = try await origin.get(folder + (try #require(names.first)))
        try #require(segment.status == 200, "\(segment.text)")
        let contents = try InitializationContents(section.bytes)
        let fragments = try FragmentContents.all(in: segment.bytes)
        let samples = try #require(fragments.first?.tracks.first?.samples)
        return Served(
            line: line, section: contents,
            samples: samples.map { Array(segment.bytes[$0.offset..<($0.offset + Int($0.size))]) },
            facts: try await origin.get(base + "title.json").text)
    }

    @Test func twoLayersAreServedAsOne() async throws {
        let folder = try FilmFolder()
        let full = VisionFilm.bytes(VisionFilm.RPU.full)
        try VisionFilm.film(
            folder.url.appending(path: "seven.mkv").path(), adding: [VisionFilm.enhancement, full])
        try VisionFilm.film(folder.url.appending(path: "plain.mkv").path(), adding: [])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let served = try await serve(origin, "\(folder.root)/seven.mkv")
        #expect(served.line.contains("CODECS=\"hvc1.2.4."))
        #expect(
            served.line.contains("SUPPLEMENTAL-CODECS=\"dvh1.08.01/db1p\"") && served.line.contains("VIDEO-RANGE=PQ"))
        #expect(served.entry.code == "hvc1" && served.box("dvcC") == nil)
        let record = try DolbyVisionConfiguration(try #require(served.box("dvvC")))
        #expect(record == DolbyVisionConfiguration(profile: 8, level: 1, compatibility: 1))
        #expect(served.section.compatibleBrands.contains("db1p"))
        // One RPU a picture, of one layer, and nothing of the other layer.
        let expected = try DolbyVisionRPU(unit: full).converted(to: .profile81)
        #expect(served.samples.count == 144 && served.rpus.count == 144)
        #expect(Set(served.rpus) == [expected])
        #expect(!served.units.joined().contains(.dolbyEnhancement))
        #expect(served.facts.contains("\"conversion\":\"profile81\"") && served.facts.contains("\"rpu\":\"7 FEL\""))

        // Pictures are those of the film without any of it.
        let plain = try await serve(origin, "\(folder.root)/plain.mkv")
        #expect(!plain.line.contains("SUPPLEMENTAL") && plain.box("dvvC") == nil)
        let differing = zip(served.samples, plain.samples).count { pictureUnits($0) != pictureUnits($1) }
        #expect(plain.samples.count == 144 && differing == 0)

        // The base alone: no claim, and nothing of it in the samples.
        let base = try await serve(origin, "\(folder.root)/seven.mkv", "dv=base")
        #expect(!base.line.contains("SUPPLEMENTAL") && base.line.contains("VIDEO-RANGE=PQ"))
        #expect(base.box("dvvC") == nil && base.rpus.isEmpty)
        #expect(!base.units.joined().contains(.dolbyEnhancement))

        // As profile 5, for players that compose only that.
        let forced = try await serve(origin, "\(folder.root)/seven.mkv", "dv=force")
        #expect(forced.line.contains("CODECS=\"dvh1.05.01\"") && !forced.line.contains("SUPPLEMENTAL"))
        #expect(forced.entry.code == "dvh1" && forced.box("dvcC") != nil && Set(forced.rpus) == [expected])
        await engine.stop()
    }

    /// Units but for RPUs, without zeros behind them.
    private func pictureUnits(_ sample: [UInt8]) -> [[UInt8]] {
        sample.withUnsafeBytes { bytes in
            LengthPrefixedUnits(bytes).filter { HEVCUnitType(header: bytes[$0.lowerBound]) != .dolbyRPU }.map { unit in
                var end = unit.upperBound
                while end > unit.lowerBound, bytes[end - 1] == 0 { end -= 1 }
                return Array(bytes[unit.lowerBound..<end])
            }
        }
    }

    @Test func anRPUThatCannotBeConvertedLeavesItsPicture() async throws {
        let folder = try FilmFolder()
        var damaged = VisionFilm.bytes(VisionFilm.RPU.full)
        damaged[40] ^= 0x10
        let first = VisionFilm.bytes(VisionFilm.RPU.full)
        // The first picture says what the film is, the rest cannot be read.
        let path = folder.url.appending(path: "film.mkv").path()
        try VisionFilm.pictures(path + ".hevc", adding: [damaged])
        var stream = [UInt8](try Data(contentsOf: URL(filePath: path + ".hevc")))
        let place = try #require(stream.ranges(of: damaged).first)
        stream.replaceSubrange(place, with: first)
        try Data(stream).write(to: URL(filePath: path + ".hevc"))
        try ExternalTool.run(
            "ffmpeg",
            ["-v", "error", "-nostdin", "-fflags", "+genpts", "-r", "24", "-i", path + ".hevc", "-c", "copy", path])
        try FileManager.default.removeItem(atPath: path + ".hevc")
        let engine = try folder.engine()
        let served = try await serve(Origin(engine: engine), "\(folder.root)/film.mkv")
        #expect(served.line.contains("dvh1.08.01/db1p") && served.samples.count == 144)
        #expect(served.rpus.count == 1 && served.units.joined().count { $0 == .dolbyRPU } == 1)
        await engine.stop()
    }

    @Test func picturesWithoutABaseNeedADecoderThatKnowsThem() async throws {
        let folder = try FilmFolder()
        try VisionFilm.film(
            folder.url.appending(path: "five.mkv").path(), color: nil,
            adding: [VisionFilm.bytes(VisionFilm.RPU.profile5)])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let served = try await serve(origin, "\(folder.root)/five.mkv")
        #expect(served.line.contains("CODECS=\"dvh1.05.01\"") && served.line.contains("VIDEO-RANGE=PQ"))
        #expect(!served.line.contains("SUPPLEMENTAL") && served.entry.code == "dvh1")
        let record = try DolbyVisionConfiguration(try #require(served.box("dvcC")))
        #expect(record == DolbyVisionConfiguration(profile: 5, level: 1, compatibility: 0))
        #expect(served.rpus.count == 144)

        let base = "/v1/\(folder.root)/five.mkv/"
        #expect(try await origin.get(base + "~caps=hdr10+hevc/master.m3u8").status == 415)
        #expect(try await origin.get(base + "~caps=dv+hevc/master.m3u8").status == 200)
        await engine.stop()
    }

    /// On discs the enhancement layer has a transport PID of its own.
    @Test func rpusOfAnotherStreamAreJoinedToTheirPictures() async throws {
        let folder = try FilmFolder()
        let place = folder.url.appending(path: "disc").path()
        let full = VisionFilm.bytes(VisionFilm.RPU.full)
        try VisionFilm.pictures(place + ".base.hevc", seconds: 16, adding: [])
        try VisionFilm.pictures(place + ".layer.hevc", seconds: 16, adding: [full])
        let inputs = ["base", "layer"].flatMap { ["-r", "24", "-i", "\(place).\($0).hevc"] }
        try ExternalTool.run(
            "ffmpeg",
            ["-v", "error", "-y", "-nostdin", "-fflags", "+genpts"] + inputs
                + ["-map", "0", "-map", "1", "-c", "copy", "-f", "mpegts", place + ".ts"])
        let base = "/v1/\(folder.root)/disc.ts/~/"
        let expected = try DolbyVisionRPU(unit: full).converted(to: .profile81).unit
        var straight: [[UInt8]] = []
        // Once in order, once from the end: a producer that begins anywhere joins the same.
        for isReversed in [false, true] {
            let engine = try folder.engine()
            let origin = Origin(engine: engine)
            let master = try await origin.get(base + "master.m3u8").text
            #expect(master.contains("SUPPLEMENTAL-CODECS=\"dvh1.08.01/db1p\"") && !master.contains("AUDIO"))
            let (place, names) = try await origin.segments(base)
            #expect(names.count == 4)
            var segments: [[UInt8]] = []
            for name in isReversed ? names.reversed() : names {
                segments.append(try await origin.get(place + name).bytes)
            }
            if isReversed { segments.reverse() } else { straight = segments }
            #expect(segments == straight)
            await engine.stop()
        }
        let samples = try straight.flatMap { segment in
            try FragmentContents.all(in: segment).flatMap { $0.tracks[0].samples }.map { sample in
                Array(segment[sample.offset..<(sample.offset + Int(sample.size))])
            }
        }
        let endings = Set(samples.map { Array($0.suffix(expected.count)) })
        #expect(samples.count == 384 && endings == [expected])
    }

    @Test func clientsGetTheRangesThatTheyName() async throws {
        let folder = try FilmFolder()
        try VisionFilm.film(
            folder.url.appending(path: "eight.mkv").path(), adding: [VisionFilm.bytes(VisionFilm.RPU.profile81)])
        let engine = try folder.engine()
        let origin = Origin(engine: engine)
        let base = "/v1/\(folder.root)/eight.mkv/"
        let all = try await origin.get(base + "~/master.m3u8").text
        #expect(all.contains("SUPPLEMENTAL-CODECS=\"dvh1.08.01/db1p\""))
        let plain = try await origin.get(base + "~caps=hdr10+hevc/master.m3u8")
        #expect(plain.status == 200 && !plain.text.contains("SUPPLEMENTAL") && plain.text.contains("VIDEO-RANGE=PQ"))
        let refused = try await origin.get(base + "~caps=hevc+hlg/master.m3u8")
        #expect(refused.status == 415 && refused.text.contains("hdr10"))
        #expect(try await origin.get(base + "~dv=bse/master.m3u8").text.contains("did you mean 'base'"))
        await engine.stop()
    }
}
