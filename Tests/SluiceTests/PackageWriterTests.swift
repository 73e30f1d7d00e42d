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

    @Test func aSegmentThatWasNotMadeIsMissed() throws {
        try withPresentation { writer, _ in
            let failure = #expect(throws: NodeFailure.self) { try writer.check(segments: 3) }
            #expect(failure?.code == .sourceChanged && failure?.message.contains("segment 2 of 3") == true)
        }
    }
}
