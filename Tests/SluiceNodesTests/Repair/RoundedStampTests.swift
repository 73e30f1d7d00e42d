import Foundation
import SluiceCore
import SluiceTransport
import TestTools
import Testing

@testable import SluiceNodes

/// Stamps that a container rounds, and decode times that stand still or step back: what comes out is the healthy twin's.
@Suite(.serialized, .enabled(if: PlanSources.isPresent)) struct RoundedStampTests {
    private static let film = PlanSources.make(
        "rounded.mp4",
        ["-f", "lavfi", "-i", "testsrc2=s=96x54:r=24000/1001:d=20", "-f", "lavfi", "-i", "sine=f=1000:r=44100:d=20"]
            + PlanSources.x264 + ["-bf", "2", "-g", "48", "-c:a", "aac", "-ar", "44100"])

    /// The exact times of an MP4, and those that Matroska and FLV round to milliseconds.
    @Test(arguments: ["rounded.mkv", "rounded.flv"]) func roundedStampsStandOnTheirGridAgain(name: String) async throws
    {
        let exact = try await TwinRun(Self.film)
        let rounded = try await TwinRun(PlanSources.copy(Self.film, name))
        try rounded.expectSame(as: exact, sound: false)
        let (sound, wanted) = (try rounded.samples("audio-1"), try exact.samples("audio-1"))
        #expect(sound.timescale == wanted.timescale)
        // A container may have no place for the priming: the frames they share lie a whole number of frames apart.
        let steps = Set(zip(sound.samples.dropFirst(), sound.samples).map { $0.presentation - $1.presentation })
        #expect(steps == [1_024])
        let phases = Set(zip(sound.samples, wanted.samples).map { ($0.presentation - $1.presentation) % 1_024 })
        #expect(phases.count == 1)
        try await rounded.expectSameFromFivePlaces()
    }

    // MARK: - Decode times

    /// Two pictures in three have the decode time of the one before; presentation stays.
    @Test func decodeTimesThatStandStillMoveNothing() async throws {
        let healthy = try await TwinRun(TwinSources.closed)
        let path = PlanSources.directory + "/equal-dts.mp4"
        var editor = try MovieEditor(try TwinSources.closed.get())
        let (durations, offsets) = try editor.pictureTimes()
        let decode = TwinSources.sums(durations)
        let held = decode.indices.map { decode[$0 / 3 * 3] }
        try editor.setPictureTimes(
            decode: held, offsets: zip(zip(decode, offsets), held).map { $0.0 + $0.1 - $1 })
        try editor.write(path)
        let broken = try await TwinRun(.success(path))
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }

    /// Every seventh picture of a transport stream claims to be decoded two pictures earlier than it can be.
    @Test func decodeTimesThatStepBackMoveNothing() async throws {
        let transport = PlanSources.copy(TwinSources.closed, "back-healthy.ts")
        let healthy = try await TwinRun(transport)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: try transport.get())))
        let path = PlanSources.directory + "/back.ts"
        let moved = TransportEditor.movingDecodeTimes(of: 0x100, by: -7_200, every: 7, in: bytes)
        #expect(moved != bytes)
        try Data(moved).write(to: URL(filePath: path))
        let broken = try await TwinRun(.success(path))
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }

    /// A head before zero: what FLV writes as the top of its 32 bits.
    @Test func negativeHeadsBeginTheTitleAllTheSame() async throws {
        let plain = PlanSources.copy(TwinSources.closed, "head-healthy.flv")
        let healthy = try await TwinRun(plain)
        let early = PlanSources.copy(
            TwinSources.closed, "head.flv", ["-output_ts_offset", "-0.5", "-avoid_negative_ts", "disabled"])
        let broken = try await TwinRun(early)
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }
}
