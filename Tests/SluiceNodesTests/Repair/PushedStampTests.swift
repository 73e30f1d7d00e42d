import SluiceCore
import TestTools
import Testing

@testable import SluiceNodes

/// Writers that pushed stamps so that they ascend as the pictures are coded, and writers that handed out the right times
/// to the wrong pictures.
@Suite(.serialized, .enabled(if: PlanSources.isPresent)) struct PushedStampTests {
    /// With the ticks of one picture.
    static let steady: [(String, Result<String, any Error>, Int64)] = [
        ("closed", TwinSources.closed, 512), ("open", TwinSources.open, 1_001), ("hevc", TwinSources.high, 512),
        ("hierarchy", TwinSources.hierarchy, 512), ("runs", TwinSources.longRuns, 1_001),
    ]

    @Test(arguments: steady.indices)
    func pushedPicturesStandWhereTheirTwinsDo(number: Int) async throws {
        let (name, film, step) = Self.steady[number]
        let healthy = try await TwinRun(film)
        let broken = try await TwinRun(TwinSources.clamped(film, "\(name)-clamped.mp4", push: step / 3))
        #expect(broken.title.facts.hasLadder)
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }

    /// Random access points are late by up to four pictures.
    @Test func pushedKeysStandWhereTheirTwinsDo() async throws {
        let step: Int64 = 1_001
        let healthy = try await TwinRun(TwinSources.longRuns)
        let late: [Int: Int64] = [90: step * 2, 180: step * 4, 270: step, 450: step * 4]
        let broken = try await TwinRun(
            TwinSources.clamped(TwinSources.longRuns, "runs-late.mp4", push: step / 3, late: late))
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }

    /// The ladder follows a clock that is not quite the stated one, to a quarter of a picture.
    @Test func pushedPicturesFollowTheirWritersClock() async throws {
        let share: Int64 = 8_000
        let healthy = try await TwinRun(TwinSources.longRuns)
        let broken = try await TwinRun(
            TwinSources.clamped(TwinSources.longRuns, "runs-drift.mp4", push: 333, share: share))
        let isLadder = broken.title.facts.hasLadder
        #expect(isLadder)
        let (found, wanted) = (try broken.samples("video"), try healthy.samples("video"))
        let pairs = zip(found.samples, wanted.samples)
        let off = pairs.map { abs($0.presentation - $1.presentation - $1.presentation / share) }
        #expect(found.samples.map(\.payload) == wanted.samples.map(\.payload))
        #expect(found.timescale == 30_000 && off.allSatisfy { $0 <= 250 }, "\(off.max() ?? 0)")
        try await broken.expectSameFromFivePlaces()
    }

    /// The times of the pictures in coding order, in a movie file and in Matroska.
    @Test(arguments: MissingOffsetTests.films.indices)
    func timesInCodingOrderGoToTheirPictures(number: Int) async throws {
        let (name, film) = MissingOffsetTests.films[number]
        let slots = TwinSources.slots(film, "\(name)-slots.mp4")
        let movie = try await TwinRun(slots)
        try movie.expectSame(as: try await TwinRun(film))
        let healthy = try await TwinRun(PlanSources.copy(film, "\(name).mkv"))
        let matroska = try await TwinRun(PlanSources.copy(slots, "\(name)-slots.mkv"))
        #expect(matroska.title.facts.pictureStamps == .coded)
        try matroska.expectSame(as: healthy, sound: false)
        try await matroska.expectSameFromFivePlaces()
    }
}
