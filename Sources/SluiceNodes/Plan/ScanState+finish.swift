import SluiceBitstream
import SluiceCore

extension ScanState {
    /// - Throws: `.malformedInput` where most pictures are damaged, `.unsupported` where their times are.
    mutating func finished() throws(NodeFailure) -> SourceSurvey {
        guard corruptPictures <= max(8, pictures.count / 4) else {
            throw NodeFailure(
                .malformedInput,
                "stream \(video): \(corruptPictures) of \(pictures.count) pictures are incomplete in the source")
        }
        guard doublePictures * 100 <= pictures.count else {
            throw NodeFailure(
                .malformedInput,
                "stream \(video): \(doublePictures) of \(pictures.count) samples hold two pictures; expected one each")
        }
        guard changingPictures <= max(4, pictures.count / StampRule.tolerance) else {
            throw NodeFailure(
                .unsupported,
                "stream \(video): \(changingPictures) of \(pictures.count) pictures change parameter sets between random access points"
            )
        }
        survey.epochs = clock?.epochs() ?? []
        for index in tracks.indices {
            guard var track = tracks[index] else { continue }
            if !survey.epochs.isEmpty {
                let shifter = TrackClock(
                    source: track.format.timebase, timescale: 1, origin: Timestamp(0, track.format.timebase),
                    epochs: survey.epochs)
                for sample in track.times.indices {
                    track.times[sample] = shifter.shifted(track.times[sample], position: track.positions[sample])
                    guard index == video else { continue }
                    let position = track.positions[sample]
                    pictures[sample].presentation = pictures[sample].presentation.map {
                        shifter.shifted($0, position: position)
                    }
                    pictures[sample].decode = pictures[sample].decode.map { shifter.shifted($0, position: position) }
                }
            }
            track.positions = []
            if index == video { try settle(&track) }
            survey.tracks[track.format.id] = track
        }
        if !firstRPUs.isEmpty {
            survey.enhancement = enhancement
            survey.firstUnits[StreamID(video), default: []] += firstRPUs
        }
        if let framing = inspector?.framing { survey.framings[StreamID(video)] = framing }
        survey.ignoresKeyFlags = flaggedWrongly > 0
        return survey
    }

    /// Decides where the times of the pictures come from.
    private mutating func settle(_ track: inout SurveyedTrack) throws(NodeFailure) {
        if let period {
            survey.pictureStamps = .counted(period: period)
            return
        }
        let points = survey.points.map(\.number)
        let isMovie = survey.formatName.hasPrefix("mov") && !survey.joinsPackets
        if isMovie, let ladder = ladder(track.format, points) {
            var walk = LadderWalk(ladder, track.format.timebase)
            let places = pictures.map { walk.place($0.presentation, $0.order) }
            if places.allSatisfy({ $0 != nil }) {
                (survey.pictureStamps, survey.unplacedPictures) = (.ladder(ladder), 0)
                track.times = places.compactMap(\.self)
                return
            }
        }
        guard let stamps = StampRule.judge(pictures, points: points, isMovie: isMovie) else {
            let count = max(StampRule.contradictions(pictures), survey.unplacedPictures)
            throw NodeFailure(
                .unsupported,
                "stream \(video): \(count) of \(pictures.count) pictures are stamped against their own order or not at all"
            )
        }
        survey.pictureStamps = stamps
        if stamps.arePlaces { survey.unplacedPictures = 0 }
        if case .decode(let stretches) = stamps {
            track.times = zip(pictures, track.times).map {
                PictureStamps.place(stretches, presentation: $0.presentation, decode: $0.decode) ?? $1
            }
        }
    }

    /// Where the writer of the file has pushed stamps.
    private func ladder(_ format: StreamFormat, _ points: [Int]) -> PictureLadder? {
        guard StampRule.contradictions(pictures) >= StampRule.leastContradictions else { return nil }
        let coded = survey.sets.first.flatMap { ParameterSetRule.period($0, codec: inspector?.codec ?? .other) }
        return ClampRule.ladder(
            pictures, points: points, format.timebase, stated: [coded, format.video?.framePeriod].compactMap(\.self))
    }
}
