import TestTools
import Testing

@testable import SluiceNodes

/// Movie files whose writers lost composition offsets: what is served is what their healthy twins give.
@Suite(.serialized, .enabled(if: PlanSources.isPresent)) struct MissingOffsetTests {
    static let films: [(String, Result<String, any Error>)] = [
        ("closed", TwinSources.closed), ("open", TwinSources.open), ("hevc", TwinSources.high),
        ("hierarchy", TwinSources.hierarchy), ("runs", TwinSources.longRuns), ("vfr", TwinSources.variable),
    ]

    @Test(arguments: films.indices)
    func filesWithoutOffsetsAreServedAsTheirTwins(number: Int) async throws {
        let (name, film) = Self.films[number]
        let healthy = try await TwinRun(film)
        let broken = try await TwinRun(TwinSources.withoutOffsets(film, "\(name)-noctts.mp4"))
        try broken.expectSame(as: healthy)
        try await broken.expectSameFromFivePlaces()
    }

    @Test(arguments: films.indices)
    func filesThatLoseTheirOffsetsLaterAreServedAsTheirTwins(number: Int) async throws {
        let (name, film) = Self.films[number]
        let healthy = try await TwinRun(film)
        for start in [200, 420] {
            let broken = try await TwinRun(
                TwinSources.offsetsUntil(film, "\(name)-until-\(start).mp4", first: start))
            try broken.expectSame(as: healthy)
            if start == 200 { try await broken.expectSameFromFivePlaces() }
        }
    }
}
