import SluiceCore
import SluiceTransport
import Testing

@testable import SluiceBitstream
@testable import SluiceNodes

/// Times of pictures that the container gives wrongly, or not at all.
struct PictureStampTests {
    /// I, P, B, B as they are coded: orders 0, 6, 2, 4.
    private func group(_ sequence: Int32, presentation: [Int64?], decode: [Int64?]) -> [StampRule.Picture] {
        let counts: [Int32] = [0, 6, 2, 4]
        return counts.indices.map {
            StampRule.Picture(
                presentation: presentation[$0], decode: decode[$0],
                order: PictureOrder(sequence: sequence, count: counts[$0]))
        }
    }

    @Test func timesThatFollowTheOrderOfThePicturesStay() {
        let pictures = group(0, presentation: [1, 4, 2, 3], decode: [0, 1, 2, 3])
        #expect(StampRule.judge(pictures, opening: 0) == .container)
    }

    @Test func timesThatAscendInCodingOrderArePlaces() {
        let pictures = group(0, presentation: [0, 1, 2, 3], decode: [0, 1, 2, 3])
        #expect(StampRule.contradictions(pictures) == 1)
        #expect(StampRule.judge(pictures, opening: 0) == .coded)
    }

    @Test func missingPresentationTimesAreReplacedByDecodeTimes() {
        let pictures = group(0, presentation: [nil, nil, nil, nil], decode: [5, 6, 7, 8])
        #expect(StampRule.judge(pictures, opening: 0) == .decode(shift: 0))
    }

    @Test func theDelayOfTheOpeningPictureIsKept() {
        let pictures = group(0, presentation: [2, 2, 2, 2], decode: [0, 1, 2, 3])
        #expect(StampRule.judge(pictures, opening: 0) == .decode(shift: 2))
    }

    @Test func timesWithoutAnyOrderAreRefused() {
        let pictures = group(0, presentation: [3, 3, 3, 3], decode: [1, 1, 0, 0])
        #expect(StampRule.judge(pictures, opening: 0) == nil)
    }

    @Test func twoFieldsOfOppositeParityAreAFrame() {
        let top = PictureOrder.Field(isBottom: false, isReference: true, frameNumber: 3)
        #expect(PictureOrder.Field(isBottom: true, isReference: true, frameNumber: 3).completes(top))
        #expect(!PictureOrder.Field(isBottom: false, isReference: true, frameNumber: 3).completes(top))
        #expect(!PictureOrder.Field(isBottom: true, isReference: true, frameNumber: 4).completes(top))
    }

    /// VP9 bitstream specification, Annex B: marker 110, two bytes a size (01), two frames (001).
    @Test func framesThatAreNotShownGetAnIndex() {
        #expect(VP9Superframe.index([0x0123, 0x45]) == [0xC9, 0x23, 0x01, 0x45, 0x00, 0xC9])
        let unit = [UInt8](repeating: 0x82, count: 5) + [0xC1, 3, 2, 0xC1]
        #expect(unit.withUnsafeBytes { VP9Superframe.sizes($0) } == [3, 2])
        #expect([0x82, 0x00, 0x01].withUnsafeBytes { VP9Superframe.sizes($0) }.count == 1)
    }

    // MARK: - Openings

    private func survey(_ kinds: [PictureKind], seconds: Int64) -> SourceSurvey {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "h264", timebase: .milliseconds)
        var survey = SourceSurvey(
            formatName: "mpegts", streams: [format], selection: StreamSelection(video: StreamID(0), audio: []),
            basis: .scan)
        var track = SurveyedTrack(format: format)
        track.times = kinds.indices.map { Int64($0) * seconds * 1_000 }
        survey.tracks[StreamID(0)] = track
        survey.points = kinds.indices.map { SurveyedPoint(number: $0, kind: kinds[$0], seekTicks: 0, sets: 0) }
        return survey
    }

    @Test func titlesBeginWithTheFirstPictureThatDecodersBeginWith() throws {
        let kinds: [PictureKind] = [.recoveryPoint, .intra, .idr, .recoveryPoint]
        let opened = try OpeningRule.openable(survey(kinds, seconds: 2))
        #expect(opened.points.map(\.kind) == [.idr, .recoveryPoint])
    }

    @Test func picturesWithoutAnyIDRAreRefused() {
        for (kinds, seconds) in [([.recoveryPoint, .intra], 1), ([.recoveryPoint, .idr], 11)]
            as [([PictureKind], Int64)]
        {
            do {
                _ = try OpeningRule.openable(survey(kinds, seconds: seconds))
                Issue.record("\(kinds) opened")
            } catch { #expect(error.code == .unsupported) }
        }
    }

    // MARK: - Whole files

    /// The same pictures bare, in AVI and in MP4: only the last has presentation times.
    @Test(.enabled(if: PlanSources.isPresent), arguments: [true, false])
    func picturesWithoutTimesBeginTheirSegmentsWhereTheirTwinsDo(isBare: Bool) throws {
        func plan(_ path: String) throws -> PlannedTitle {
            let source = try Transport.open(path)
            defer { source.close() }
            return try PlanBuilder.title(source, hint: path)
        }
        let wanted = try plan(PlanSources.irregularMovie.get()).plan
        let title = try plan((isBare ? PlanSources.irregularBare : PlanSources.irregularAVI).get())

        #expect(title.facts.pictureStamps.arePlaces)
        #expect(title.plan.segments.count == wanted.segments.count)
        for (index, pair) in zip(title.plan.segments, wanted.segments).enumerated() {
            let distance = title.plan.start(index).nanoseconds - wanted.start(index).nanoseconds
            #expect(abs(distance) < 2_000_000, "segment \(index)")
            #expect(pair.0.tracks.first?.samples == pair.1.tracks.first?.samples, "segment \(index)")
        }
    }
}
