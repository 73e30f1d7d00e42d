import SluiceBitstream
import SluiceCore

/// Makes facts and plan of a complete survey. Pure.
struct PlanAssembler {
    var shape: TitlePlan.Shape
    /// Samples lie in movie fragments: the index is known only as far as it was read.
    var isFragmented = false

    /// - Throws: `.malformedInput` where nothing opens a segment.
    func assemble(_ survey: SourceSurvey) throws(NodeFailure) -> (TitleFacts, TitlePlan) {
        var survey = try OpeningRule.openable(survey)
        var facts = FactsBuilder.facts(survey)
        var outputs = outputTimes(survey, facts)
        if !facts.pieces.isEmpty { PieceMerger.limit(&survey, &facts, &outputs) }
        for id in facts.served {
            guard let times = outputs[id], let track = survey.tracks[id], let clock = facts.clocks[id] else { continue }
            var floor: Int64 = 0
            if id == facts.video, let opening = survey.points.first {
                // Pictures before it cannot be shown: there is nothing to decode them from.
                let first = FactsBuilder.firstPresentation(track, opening, next: survey.points.dropFirst().first)
                floor = outputTime(first, clock)
            }
            if id != facts.video, facts.video != nil { floor = soundFloor(times, sampleLength(track, clock, facts)) }
            facts.spans[id] = span(times.filter { $0 >= floor }, track, clock, facts)
        }
        let plan =
            try facts.video == nil ? soundPlan(survey, facts, outputs) : picturePlan(survey, facts, outputs)
        return (facts, plan)
    }

    /// A lone frame before a hole (recorders write it) would have to last as long as the hole: sound begins behind it.
    private func soundFloor(_ times: [Int64], _ length: Int64) -> Int64 {
        let heard = times.lazy.filter { $0 >= 0 }.prefix(2)
        guard heard.count == 2, let first = heard.first, let second = heard.dropFirst().first else { return 0 }
        return second &- first > length &+ length / 2 && second > first ? second : 0
    }

    // MARK: - Titles with pictures

    private func picturePlan(
        _ survey: SourceSurvey, _ facts: TitleFacts, _ outputs: [StreamID: [Int64]]
    ) throws(NodeFailure) -> TitlePlan {
        guard let video = facts.video, let clock = facts.clocks[video], let track = survey.tracks[video],
            let times = outputs[video], !survey.points.isEmpty
        else {
            throw NodeFailure(
                .malformedInput, "no picture that decoding can begin with; expected an IDR, CRA or key frame")
        }
        try checkStamps(times, video)
        let usable = ascending(survey.points, times)
        let end = max(facts.spans[video]?.end ?? 0, (usable.last.map { times[$0.number] } ?? 0) + 1)
        let hasVersions = facts.versions.count > 1
        var forced: Set<Int64> = []
        for (earlier, later) in zip(usable, usable.dropFirst()) where hasVersions && earlier.sets != later.sets {
            forced.insert(times[later.number])
        }
        let ticks = shape.target.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        let least = shape.minimum.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        let starts = Set(
            BoundaryRule.starts(
                points: usable.map { times[$0.number] }, end: end, target: ticks, minimum: least, forced: forced))
        let openings = usable.filter { starts.contains(times[$0.number]) }
        var segments = openings.enumerated().map { index, point in
            let next = index + 1 < openings.count ? openings[index + 1].number : track.count
            return segment(point, until: next, times, survey, facts)
        }
        for index in segments.indices.dropFirst() where segments[index].version != segments[index - 1].version {
            segments[index].isDiscontinuous = true
        }
        addTracks(&segments, openings, survey, facts, outputs)
        addAnchors(&segments, openings, survey, facts, outputs)
        return TitlePlan(
            basis: survey.basis, timescale: clock.timescale, segments: segments, end: end, isProvisional: false)
    }

    /// - Throws: `.unsupported` where so many pictures share a stamp that the order of all is in doubt (edits that repeat
    ///   media).
    private func checkStamps(_ times: [Int64], _ video: StreamID) throws(NodeFailure) {
        let shared = times.count - Set(times).count
        guard shared > 4, shared > times.count / 20 else { return }
        throw NodeFailure(
            .unsupported, "stream \(video.index): \(shared) of \(times.count) pictures share a presentation time")
    }

    /// Points whose times ascend: one that steps back opens nothing.
    private func ascending(_ points: [SurveyedPoint], _ times: [Int64]) -> [SurveyedPoint] {
        var latest = Int64.min
        return points.filter { point in
            guard times[point.number] > latest else { return false }
            latest = times[point.number]
            return true
        }
    }

    private func segment(
        _ point: SurveyedPoint, until next: Int, _ times: [Int64], _ survey: SourceSurvey, _ facts: TitleFacts
    ) -> PlannedSegment {
        var segment = PlannedSegment(start: times[point.number], anchor: .head)
        let floor = survey.selection.video.map { facts.floor($0) } ?? 0
        let shown = times[point.number..<next].lazy.filter { $0 >= floor }
        segment.decodeStart = shown.min() ?? segment.start
        segment.kind = point.kind
        segment.version = facts.versions.isEmpty ? 0 : min(point.sets, facts.versions.count - 1)
        if facts.versions.count == 1 { segment.version = 0 }
        segment.isClosed = isClosed(point, next, times, survey, facts)
        return segment
    }

    /// Leading pictures of an IDR can be decoded by definition; of others those that say so.
    private func isClosed(
        _ point: SurveyedPoint, _ next: Int, _ times: [Int64], _ survey: SourceSurvey, _ facts: TitleFacts
    ) -> Bool {
        switch point.kind {
        case .idr, .keyFrame: return true
        // The times of the source are places, not what is presented then.
        case _ where facts.pictureStamps.arePlaces: return false
        default:
            let start = times[point.number]
            // Leading pictures come before any other picture's random access point.
            let limit = survey.points.first { $0.number > point.number }?.number ?? next
            let floor = survey.selection.video.map { facts.floor($0) } ?? 0
            let leading = times[point.number..<min(limit, times.count)].count { $0 < start && $0 >= floor }
            return leading <= point.decodableLeading
        }
    }

    private func addTracks(
        _ segments: inout [PlannedSegment], _ openings: [SurveyedPoint], _ survey: SourceSurvey, _ facts: TitleFacts,
        _ outputs: [StreamID: [Int64]]
    ) {
        for id in facts.served {
            guard let track = survey.tracks[id], let times = outputs[id], let clock = facts.clocks[id] else { continue }
            let tally: [PlannedTrack]
            if id == facts.video {
                tally = SegmentTally.pictures(times, track.sizes, openings: openings.map(\.number), clock, facts)
            } else {
                let starts = segments.map {
                    $0.start.rescaled(from: openingTimebase(facts), to: clock.timebase, rounding: .up)
                }
                tally = SegmentTally.sound(
                    times, track.sizes, starts: starts, length: sampleLength(track, clock, facts),
                    floor: facts.floor(id))
            }
            for index in segments.indices { segments[index].tracks.append(tally[index]) }
        }
    }

    private func openingTimebase(_ facts: TitleFacts) -> Timebase {
        (facts.video ?? facts.audio.first).flatMap { facts.clocks[$0]?.timebase } ?? .mpeg
    }

    private func addAnchors(
        _ segments: inout [PlannedSegment], _ openings: [SurveyedPoint], _ survey: SourceSurvey, _ facts: TitleFacts,
        _ outputs: [StreamID: [Int64]]
    ) {
        guard let video = facts.video, let track = survey.tracks[video] else { return }
        // AVI counts pictures from where it is entered.
        let isCounted = facts.pictureStamps.arePlaces && survey.formatName == "avi"
        // Nor does a time lead anywhere in FLV whose clock starts again.
        let isAmbiguous = survey.formatName == "flv" && !survey.epochs.isEmpty
        let access = isCounted || isAmbiguous ? .none : AnchorRule.access(survey.formatName, isFragmented: isFragmented)
        let rule = AnchorRule(
            access: access, stream: video,
            timebase: track.format.timebase,
            points: survey.points.map { point in
                AnchorRule.Point(
                    time: Timestamp(track.times[point.number], track.format.timebase).nanoseconds,
                    ordinal: track.ordinals.isEmpty ? 0 : track.ordinals[point.number], seekTicks: point.seekTicks,
                    position: point.position, isIndexed: survey.indexed.contains(point.seekTicks))
            })
        let needs = SegmentTally.needs(segments, openings, survey, facts, outputs, timebase: openingTimebase(facts))
        let numbers = Dictionary(
            survey.points.enumerated().map { ($0.element.number, $0.offset) }, uniquingKeysWith: { first, _ in first })
        for index in segments.indices {
            guard let opening = numbers[openings[index].number] else { continue }
            segments[index].anchor = index == 0 ? .head : rule.anchor(opening: opening, need: needs[index])
        }
    }

    // MARK: - Titles without pictures

    private func soundPlan(
        _ survey: SourceSurvey, _ facts: TitleFacts, _ outputs: [StreamID: [Int64]]
    ) throws(NodeFailure) -> TitlePlan {
        guard let main = facts.audio.first, let clock = facts.clocks[main], let times = outputs[main],
            let track = survey.tracks[main], times.contains(where: { $0 >= 0 })
        else { throw NodeFailure(.malformedInput, "no sound that could be served") }
        let end = max(facts.spans[main]?.end ?? 0, 1)
        let ticks = shape.target.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        let least = shape.minimum.nanoseconds.rescaled(from: .nanoseconds, to: clock.timebase)
        let starts = BoundaryRule.starts(
            points: times.filter { $0 >= 0 }.sorted(), end: end, target: ticks, minimum: least)
        var segments = starts.map { PlannedSegment(start: $0, decodeStart: $0, anchor: .head) }
        addTracks(&segments, [], survey, facts, outputs)
        let access = AnchorRule.access(survey.formatName, isFragmented: isFragmented)
        guard access == .exactIndex || access == .placedIndex else {
            return TitlePlan(
                basis: survey.basis, timescale: clock.timescale, segments: segments, end: end, isProvisional: false)
        }
        for index in segments.indices.dropFirst() {
            // A second early: a place in the file, and sound of other streams, may lie before it.
            let early = segments[index].start &- Int64(clock.timescale)
            guard early > 0, let sample = times.lastIndex(where: { $0 <= early }) else { continue }
            segments[index].anchor = .index(stream: main, ticks: track.times[sample])
        }
        return TitlePlan(
            basis: survey.basis, timescale: clock.timescale, segments: segments, end: end, isProvisional: false)
    }

    // MARK: - Shared

    private func outputTimes(_ survey: SourceSurvey, _ facts: TitleFacts) -> [StreamID: [Int64]] {
        var outputs: [StreamID: [Int64]] = [:]
        for id in facts.served {
            guard let track = survey.tracks[id], var clock = facts.clocks[id] else { continue }
            // The survey has shifted its stamps already.
            clock.epochs = []
            outputs[id] = track.times.map { clock.output($0) }
        }
        return outputs
    }

    private func outputTime(_ ticks: Int64, _ clock: TrackClock) -> Int64 {
        var clock = clock
        clock.epochs = []
        return clock.output(ticks)
    }

    private func span(
        _ times: [Int64], _ track: SurveyedTrack, _ clock: TrackClock, _ facts: TitleFacts
    ) -> StreamSpan? {
        guard let first = times.min(), let last = times.max() else { return nil }
        var length = facts.tails[track.format.id] ?? sampleLength(track, clock, facts)
        if track.format.codec == "flac" || track.format.codec == "alac" {
            // Their last frames are as short as they must be.
            let declared = track.lastDuration.rescaled(from: clock.source, to: clock.timebase)
            if declared > 0 { length = min(length, declared) }
        }
        return StreamSpan(start: first, end: last &+ length)
    }

    /// What a sample lasts, in output ticks; at least 1.
    private func sampleLength(_ track: SurveyedTrack, _ clock: TrackClock, _ facts: TitleFacts) -> Int64 {
        if let grid = clock.grids.last { return grid.period }
        if track.format.type == .video, let period = facts.framePeriod {
            return max(1, Int64(1).rescaled(from: period, to: clock.timebase))
        }
        // Frames of Opus last what their coder likes.
        if track.format.codec != "opus", let samples = FactsBuilder.samples(track.format, clock) { return samples }
        if let step = typicalStep(track.times) {
            return max(1, step.rescaled(from: clock.source, to: clock.timebase))
        }
        let declared = track.lastDuration.rescaled(from: clock.source, to: clock.timebase)
        if declared > 0 { return declared }
        guard let first = track.times.min(), let last = track.times.max(), track.count > 1 else { return 1 }
        return max(1, (last &- first).rescaled(from: clock.source, to: clock.timebase) / Int64(track.count - 1))
    }

    /// The middle one of the last steps in presentation order: what containers say of the last sample is often a rest.
    private func typicalStep(_ times: [Int64]) -> Int64? {
        let last = times.suffix(96).sorted()
        let steps = zip(last.dropFirst(), last).map { $0 &- $1 }.filter { $0 > 0 }.sorted()
        return steps.isEmpty ? nil : steps[steps.count / 2]
    }
}
