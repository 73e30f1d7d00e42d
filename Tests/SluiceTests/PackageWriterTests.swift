import Foundation
import SluiceCore
import SluiceNodes
import Testing

@testable import Sluice

@Suite struct PackageWriterTests {
    /// A folder with a presentation of two segments, written whole.
    private func withPresentation(_ body: (PackageWriter, _ folder: String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("package-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stream = StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .mpeg)
        var facts = TitleFacts(formatName: "mov", streams: [stream], origin: Timestamp(0, .mpeg))
        facts.video = StreamID(0)
        let writer = PackageWriter(
            source: "/nowhere/film.mp4", directory: folder, layout: TitleLayout(facts, .renditions))
        try writer.prepare()
        for role in [Fragment.Role.initialization(version: 0), .media(index: 0), .media(index: 1)] {
            try writer.write(
                Fragment(
                    rendition: "video", role: role, start: nil, duration: nil,
                    chunks: [ByteChunk([1, 2, 3] as [UInt8])]))
        }
        try body(writer, folder)
    }

    @Test func whatWasWrittenIsThere() throws {
        try withPresentation { writer, folder in
            try writer.check(segments: 2)
            #expect(writer.files == 3 && writer.bytes == 9)
            #expect(FileManager.default.contents(atPath: "\(folder)/video/seg-1.m4s") == Data([1, 2, 3]))
        }
    }

    @Test(arguments: ["video/seg-0.m4s", "video/init-0.mp4"]) func aFileThatVanishedIsMissed(_ name: String) throws {
        try withPresentation { writer, folder in
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
            let failure = #expect(throws: NodeFailure.self) { try writer.check(segments: 2) }
            #expect(failure?.code == .notFound && failure?.message.contains(name) == true)
        }
    }

    /// A name that leads elsewhere is not written through, and one that nobody reads is not waited for.
    @Test(arguments: ["video.m3u8", "master.m3u8", "video/seg-1.m4s", "video/init-0.mp4"])
    func whatIsNoFileKeepsItsName(_ name: String) throws {
        for kind in ["link", "FIFO"] {
            try withPresentation { writer, folder in
                try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
                let victim = "\(folder)/victim"
                if kind == "link" { symlink(victim, "\(folder)/\(name)") } else { mkfifo("\(folder)/\(name)", 0o600) }
                let failure = #expect(throws: NodeFailure.self) {
                    if name.hasSuffix(".m3u8") { return try writer.write(name, "#EXTM3U") }
                    for role in [Fragment.Role.initialization(version: 0), .media(index: 1)] {
                        try writer.write(
                            Fragment(
                                rendition: "video", role: role, start: nil, duration: nil,
                                chunks: [ByteChunk([9] as [UInt8])]))
                    }
                }
                #expect(failure?.code == .invalidOption && failure?.message.contains(name) == true, "\(kind)")
                #expect(!FileManager.default.fileExists(atPath: victim))
            }
        }
    }

    /// A run that was killed has no playlist that lists what it left.
    @Test func whatAKilledRunLeftGoes() throws {
        try withPresentation { writer, folder in
            let other = "\(folder)/again"
            let kept = ["video/notes.txt", "video/seg-x.m4s", "video/seg-2.m4s.partial", "other/seg-1.m4s"]
            for name in ["video", "other"] {
                try FileManager.default.createDirectory(atPath: "\(other)/\(name)", withIntermediateDirectories: true)
            }
            for name in kept + ["video/seg-9.m4s", "video/seg-3.m4s.part", "video/init-1.mp4.part12"] {
                try Data([1]).write(to: URL(filePath: "\(other)/\(name)"))
            }
            try PackageWriter(source: writer.source, directory: other, layout: writer.layout).prepare()
            #expect(Set(try FileManager.default.subpathsOfDirectory(atPath: other)) == Set(kept + ["video", "other"]))
        }
    }

    @Test func aSegmentThatWasNotMadeIsMissed() throws {
        try withPresentation { writer, _ in
            let failure = #expect(throws: NodeFailure.self) { try writer.check(segments: 3) }
            #expect(failure?.code == .sourceChanged && failure?.message.contains("segment 2 of 3") == true)
        }
    }
}
