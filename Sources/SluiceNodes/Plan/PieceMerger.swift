import SluiceCore

/// Joins the surveys of the pieces of a source into one, under the names of the first. Pure.
enum PieceMerger {
    /// A pause up to this between two pieces is kept; beyond it the clocks are taken to have nothing in common.
    static let longestPause = Duration.seconds(10)

    static func first(_ survey: SourceSurvey, _ piece: SourcePiece) -> SourceSurvey {
        var survey = survey
        let opening = survey.points.first?.number ?? 0
        survey.pieces = [SurveyedPiece(piece: piece, firstSamples: [:], opening: opening, firstSets: 0)]
        return survey
    }

    /// - Throws: `.unsupported` where the pictures are stamped in another way than those before.
    static func append(
        _ found: SourceSurvey, _ piece: SourcePiece, to survey: inout SourceSurvey
    ) throws(NodeFailure) {
        guard let head = survey.selection.video, let own = found.selection.video, let opening = found.points.first,
            let pictures = found.tracks[own], let before = survey.tracks[head]
        else { return }
        guard survey.pictureStamps == found.pictureStamps, found.pictureStamps == .container else {
            throw NodeFailure(
                .unsupported, "from byte \(piece.start) on the pictures are stamped in another way than before")
        }
        let floor = FactsBuilder.firstPresentation(pictures, opening, next: found.points.dropFirst().first)
        let shift = shift(from: before, survey.epochs.last?.shift ?? 0, to: floor, pictures.format.timebase)
        var added = SurveyedPiece(
            piece: piece, firstSamples: [:], opening: before.count, firstSets: survey.sets.count)
        added.piece.opening = opening.position ?? piece.start
        for (id, name) in names(found, piece) {
            added.piece.firstUnits[name] = found.firstUnits[id]
            added.piece.framings[name] = found.framings[id]
            guard let track = found.tracks[id] else { continue }
            var whole = survey.tracks[name] ?? SurveyedTrack(format: track.format)
            added.firstSamples[name] = whole.count
            // Pictures that nothing leads to are not served.
            let kept = track.times.indices.filter { id != own || ($0 >= opening.number && track.times[$0] >= floor) }
            whole.times += kept.map { track.times[$0] &+ shift }
            whole.sizes += kept.map { track.sizes[$0] }
            whole.ordinals += kept.map { track.ordinals[$0] }
            whole.lastDuration = track.lastDuration
            survey.tracks[name] = whole
            guard id == own else { continue }
            for var point in found.points {
                guard let place = kept.firstIndex(of: point.number) else { continue }
                point.number = before.count + place
                point.sets += added.firstSets
                point.seekTicks &+= shift
                survey.points.append(point)
            }
        }
        survey.sets += found.sets
        survey.epochs.append(ClockEpoch(position: piece.start, shift: shift))
        survey.epochs += found.epochs.map { ClockEpoch(position: $0.position, shift: $0.shift &+ shift) }
        survey.ignoresKeyFlags = survey.ignoresKeyFlags || found.ignoresKeyFlags
        survey.joinsPackets = survey.joinsPackets || found.joinsPackets
        survey.unplacedPictures += found.unplacedPictures
        survey.byteCount &+= found.byteCount
        survey.pieces.append(added)
    }

    /// Where a stream of the piece goes, by its own name.
    private static func names(_ found: SourceSurvey, _ piece: SourcePiece) -> [(StreamID, StreamID)] {
        found.streams.compactMap { format in
            guard found.tracks[format.id] != nil, let name = piece.streams[format.containerNumber] else { return nil }
            return (format.id, name)
        }
    }

    /// Ticks by which a piece is moved: as far as the one before it where its clock runs on, else so that it follows.
    private static func shift(
        from before: SurveyedTrack, _ last: Int64, to floor: Int64, _ timebase: Timebase
    ) -> Int64 {
        let sorted = before.times.suffix(64).sorted()
        guard let latest = sorted.last else { return last }
        let step = max(1, sorted.count > 1 ? latest &- sorted[sorted.count - 2] : 1)
        let end = latest &+ step
        let (pause, overflow) = (floor &+ last).subtractingReportingOverflow(end)
        let longest = longestPause.nanoseconds.rescaled(from: .nanoseconds, to: timebase)
        return !overflow && (-step / 2...longest).contains(pause) ? last : end &- floor
    }

    // MARK: - Limits

    /// Says where each piece begins on the output, and takes out sound that lies outside its own: under the
    /// configuration of another piece nobody could decode it.
    ///
    /// - Parameter outputs: output times of all samples; trimmed as the survey is.
    static func limit(_ survey: inout SourceSurvey, _ facts: inout TitleFacts, _ outputs: inout [StreamID: [Int64]]) {
        guard let video = facts.video, let times = outputs[video] else { return }
        for number in facts.pieces.indices.dropFirst() {
            let opening = survey.pieces[number].opening
            let next = survey.points.first { $0.number > opening }?.number ?? times.count
            guard times.indices.contains(opening) else { continue }
            facts.pieces[number].begin = times[opening]
            facts.pieces[number].floor = times[opening..<max(opening + 1, min(next, times.count))].min() ?? 0
        }
        for id in facts.audio {
            guard var track = survey.tracks[id], let own = outputs[id] else { continue }
            var piece = 0
            let kept = track.times.indices.filter { sample in
                while piece + 1 < survey.pieces.count, sample >= first(survey, piece + 1, id, own.count) { piece += 1 }
                return facts.bounds(of: id, in: piece).contains(own[sample])
            }
            outputs[id] = kept.map { own[$0] }
            track.times = kept.map { track.times[$0] }
            track.sizes = kept.map { track.sizes[$0] }
            track.ordinals = kept.map { track.ordinals[$0] }
            survey.tracks[id] = track
        }
    }

    /// A piece without the stream begins with that of the next one.
    private static func first(_ survey: SourceSurvey, _ piece: Int, _ id: StreamID, _ count: Int) -> Int {
        survey.pieces[piece...].lazy.compactMap { $0.firstSamples[id] }.first ?? count
    }
}

extension TitleFacts {
    /// Output times that samples of a piece may have, in ticks of the stream's clock: the cutter would count others to a
    /// neighbour.
    func bounds(of stream: StreamID, in piece: Int) -> Range<Int64> {
        guard let clock = clocks[stream], let master = video.flatMap({ clocks[$0] }) else { return .min..<Int64.max }
        func limit(_ number: Int, _ open: Int64) -> Int64 {
            guard pieces.indices.contains(number), number > 0 else { return open }
            guard stream != video else { return pieces[number].floor }
            return pieces[number].begin.rescaled(from: master.timebase, to: clock.timebase, rounding: .up)
        }
        let from = limit(piece, .min)
        return from..<max(from, limit(piece + 1, .max))
    }
}
