import Foundation
import SluiceBitstream
import SluiceCore
import TestTools
import Testing

@testable import Sluice

/// Bridged renditions as an origin serves them.
@Suite(.enabled(if: RecipeInput.isPresent), .serialized)
struct BridgedServingTests {
    private static let bridged = "audio-1-eac3"

    private func open(_ sounds: [String] = ["dca"]) throws -> (FilmFolder, Engine, Origin, String) {
        let folder = try FilmFolder()
        let tones = ["-f", "lavfi", "-i", "sine=f=700:r=48000:d=24"]
        let pictures = ["-v", "error", "-y", "-nostdin", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=24"]
        var arguments = pictures + tones + ["-map", "0", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50"]
        for (number, codec) in sounds.enumerated() { arguments += ["-map", "1", "-c:a:\(number)", codec] }
        arguments += ["-ac", "6", "-strict", "-2"]
        try ExternalTool.run("ffmpeg", arguments + [folder.url.appending(path: "film.mkv").path()])
        let engine = try folder.engine()
        return (folder, engine, Origin(engine: engine), "/v1/\(folder.root)/film.mkv/")
    }

    /// Nothing is made of a sound before somebody asks for it; then it has producers of its own.
    @Test func aBridgeBeginsWithItsFirstSegment() async throws {
        let (folder, engine, origin, base) = try open(["aac", "dca"])
        let place = try await origin.segments(base + "~/")
        let media = try await origin.get(place.folder + "audio-2-eac3.m3u8")
        #expect(media.status == 200 && media.text.contains("EXT-X-ENDLIST"))
        #expect(try await origin.get(place.folder + "video/seg-0.m4s").status == 200)
        #expect(try await origin.get(place.folder + "audio-1/seg-0.m4s").status == 200)
        #expect(engine.bridgeBudget.used == 0)
        #expect(try await origin.get(place.folder + "audio-2-eac3/init-0.mp4").text.contains("dec3"))
        #expect(engine.bridgeBudget.used == 0)
        #expect(try await origin.get(place.folder + "audio-2-eac3/seg-3.m4s").status == 200)
        #expect(engine.bridgeBudget.used == 1)
        let report = try await origin.get("/metrics")
        #expect(report.text.contains("sluice_bridges 1"))
        #expect(try await origin.get(place.folder + "audio-9-eac3.m3u8").status == 404)
        #expect(try await origin.get(place.folder + "audio-9-eac3/seg-0.m4s").status == 404)
        #expect(try await origin.get(place.folder + "audio-2-eac3/seg-900.m4s").status == 404)
        await engine.stop()
        #expect(engine.bridgeBudget.used == 0)
        _ = folder
    }

    /// T29: whatever is asked for first, and after a restart, the bytes are the same.
    @Test func segmentsAndSectionsAreTheSameInAnyOrder() async throws {
        let (folder, first, origin, base) = try open()
        let place = try await origin.segments(base + "~/", Self.bridged)
        var straight: [String: [UInt8]] = [:]
        for name in place.names + ["\(Self.bridged)/init-0.mp4"] {
            let answer = try await origin.get(place.folder + name)
            #expect(answer.status == 200, "\(name)")
            straight[name] = answer.bytes
        }
        await first.stop()
        let second = try folder.engine()
        let other = Origin(engine: second)
        _ = try await other.segments(base + "~/", Self.bridged)
        for name in place.names.reversed() + ["\(Self.bridged)/init-0.mp4"] {
            let bytes = try await other.get(place.folder + name).bytes
            let isSame = bytes == straight[name]
            #expect(isSame, "\(name)")
        }
        await second.stop()
    }

    /// The muxed shape with a sound that cannot be copied has it in line.
    @Test func theMuxedShapeCarriesABridgedSound() async throws {
        let (folder, engine, origin, base) = try open()
        let place = try await origin.segments(base + "~shape=muxed/")
        let section = try await origin.get(place.folder + "video/init-0.mp4")
        #expect(section.text.contains("ec-3") && section.text.contains("avc1"))
        var bytes = section.bytes
        for name in place.names { bytes += try await origin.get(place.folder + name).bytes }
        let path = folder.url.appending(path: "whole.mp4")
        try Data(bytes).write(to: path)
        let text = try ExternalTool.text(
            "ffprobe",
            [
                "-v", "error", "-count_packets", "-show_entries", "stream=codec_name,nb_read_packets", "-of", "csv=p=0",
                path.path(),
            ])
        #expect(text.contains("h264,600") && text.contains("eac3,750"), "\(text)")
        await engine.stop()
    }

    /// T36: every sound is a rendition with a name of its own, beside as many segments as the pictures have.
    @Test func packagesHoldEverySound() async throws {
        let (folder, engine, _, _) = try open(["aac", "dca", "truehd"])
        let out = folder.url.appending(path: "out").path()
        let packager = Packager(shape: .renditions, graphs: try FilmFolder.graphs())
        let report = try await packager.run(folder.url.appending(path: "film.mkv").path(), to: out)
        #expect(
            report.playlists == ["master.m3u8", "video.m3u8", "audio-1.m3u8", "audio-2-eac3.m3u8", "audio-3-eac3.m3u8"])
        let text = try String(contentsOfFile: out + "/master.m3u8", encoding: .utf8)
        guard case .multivariant(let master) = try PlaylistDocument(text: text) else {
            Issue.record("\(text)")
            return
        }
        #expect(Set(master.renditions.map(\.name)).count == 3)
        #expect(master.renditions.filter(\.isDefault).count == 1)
        var counts: Set<Int> = []
        var most = 0
        for name in report.playlists.dropFirst() {
            let text = try String(contentsOfFile: "\(out)/\(name)", encoding: .utf8)
            counts.insert(text.components(separatedBy: "#EXTINF").count)
            let folder = name.dropLast(5)
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(out)/\(folder)")
            for file in files where folder != "video" && file.hasPrefix("seg-") {
                let size = try FileManager.default.attributesOfItem(atPath: "\(out)/\(folder)/\(file)")[.size] as? Int
                most = max(most, size ?? 0)
            }
        }
        #expect(counts.count == 1)
        // BANDWIDTH holds for the greediest sound: four seconds of it and of the pictures.
        let bandwidth = try #require(master.variants.first?.bandwidth)
        #expect(bandwidth * 4 >= most * 8)
        if let checker = SharedMaterial.checker {
            let summary = try ExternalTool.text("env", [checker, out + "/master.m3u8"])
            #expect(summary.contains("SUMMARY 0 errors"), "\(summary)")
        }
        let verified = try PresentationVerifier().verify(out)
        #expect(verified.findings.isEmpty, "\(verified.findings)")
        await engine.stop()
    }
}
