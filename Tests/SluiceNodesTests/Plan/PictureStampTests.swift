import Foundation
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
        #expect(StampRule.judge(pictures, points: [0]) == .container)
    }

    @Test func timesThatAscendInCodingOrderArePlaces() {
        let pictures = group(0, presentation: [0, 1, 2, 3], decode: [0, 1, 2, 3])
        #expect(StampRule.contradictions(pictures) == 1)
        #expect(StampRule.judge(pictures, points: [0]) == .coded)
    }

    @Test func missingPresentationTimesAreReplacedByDecodeTimes() {
        let pictures = group(0, presentation: [nil, nil, nil, nil], decode: [5, 6, 7, 8])
        #expect(StampRule.judge(pictures, points: [0]) == .decode([PictureStamps.Stretch(shift: 0)]))
    }

    @Test func theDelayOfTheOpeningPictureIsKept() {
        let pictures = group(0, presentation: [2, 2, 2, 2], decode: [0, 1, 2, 3])
        #expect(StampRule.judge(pictures, points: [0]) == .decode([PictureStamps.Stretch(shift: 2)]))
    }

    @Test func timesWithoutAnyOrderAreRefused() {
        let pictures = group(0, presentation: [3, 3, 3, 3], decode: [1, 1, 0, 0])
        #expect(StampRule.judge(pictures, points: [0]) == nil)
    }

    // MARK: - Samples and parameter sets

    /// Two units with lengths: headers of TRAIL_R pictures, the first bit of the third byte says whether a picture begins.
    @Test(arguments: [(0x80, 0x01, true), (0x00, 0x01, false), (0x80, 0x09, false)] as [(UInt8, UInt8, Bool)])
    func samplesWithTwoPicturesAreFound(first: UInt8, layer: UInt8, isFound: Bool) {
        let format = StreamFormat(id: StreamID(0), type: .video, codec: "hevc", timebase: .milliseconds)
        let inspector = PictureInspector(format, framing: .lengthPrefixed(4))
        let sample: [UInt8] = [0, 0, 0, 4, 0x02, 0x01, 0x80, 0, 0, 0, 0, 4, 0x02, layer, first, 0]
        #expect(sample.withUnsafeBytes { inspector.holdsTwoPictures($0) } == isFound)
    }

    /// Picture sets of sequence 0 with the numbers 0 and 1: `1 1 …` and `010 1 …`.
    @Test func setsWithANewNumberAreAdditions() {
        let (zero, one): ([UInt8], [UInt8]) = ([0x68, 0xCE, 0x3C, 0x80], [0x68, 0x59, 0xC7, 0x90])
        #expect(H264PictureParameters(zero)?.id == 0 && H264PictureParameters(one)?.id == 1)
        #expect(ParameterSetRule.isAddition(one, to: [zero], codec: .h264))
        #expect(!ParameterSetRule.isAddition([0x68, 0xCE, 0x38, 0x80], to: [zero, one], codec: .h264))
        #expect(!ParameterSetRule.isAddition([0x67, 0x42, 0x00, 0x1E], to: [zero], codec: .h264))
    }

    /// An AVI in which every picture that is no random access point replaces the picture set.
    @Test(.enabled(if: PlanSources.isPresent), arguments: [true, false])
    func setsThatChangeBetweenRandomAccessPointsAreRefused(changes: Bool) throws {
        let bare = try PlanSources.make(
            "sets.h264", ["-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=4"] + PlanSources.x264 + ["-g", "50"]
        ).get()
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: bare)))
        let units = bytes.withUnsafeBytes { view in AnnexBUnits(view).map { [UInt8](view[$0]) } }
        let known = try #require(units.first { $0[0] & 31 == 8 })
        var joined: [UInt8] = []
        for unit in units {
            if unit[0] & 31 == 1 {
                var other = known
                // Another offset of the quantizer for chroma, or so: what it says does not matter here.
                if changes { other[other.count - 1] ^= 0x40 }
                joined += [0, 0, 0, 1] + other
            }
            joined += [0, 0, 0, 1] + unit
        }
        let path = PlanSources.directory + "/sets-\(changes).h264"
        try Data(joined).write(to: URL(fileURLWithPath: path))
        let source = try Transport.open(path)
        defer { source.close() }
        if changes {
            let failure = try #require(throws: NodeFailure.self) { try PlanBuilder.title(source, hint: path) }
            #expect(failure.code == .unsupported && failure.message.contains("change parameter sets"))
        } else {
            #expect(try PlanBuilder.title(source, hint: path).facts.versions.count == 1)
        }
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
