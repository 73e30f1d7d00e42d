import SluiceCore

/// Counts what each segment has of each stream. Pure.
enum SegmentTally {
    /// Pictures belong to segments in coding order, from one opening picture to the next.
    static func pictures(
        _ times: [Int64], _ sizes: [UInt32], openings: [Int], _ clock: TrackClock, _ facts: TitleFacts
    ) -> [PlannedTrack] {
        let floor = facts.video.map { facts.floor($0) } ?? 0
        return openings.enumerated().map { index, first in
            let last = index + 1 < openings.count ? openings[index + 1] : times.count
            var track = PlannedTrack()
            var latest = Int64.min
            for sample in first..<last where times[sample] >= floor {
                track.samples += 1
                track.bytes &+= Int64(sizes[sample])
                track.start = min(track.start ?? .max, times[sample])
                latest = max(latest, times[sample])
            }
            if track.samples > 0 {
                let length = facts.framePeriod.map { Int64(1).rescaled(from: $0, to: clock.timebase) } ?? 0
                track.end = latest &+ max(1, length)
            }
            return track
        }
    }

    /// Sound belongs to the last segment that starts at or before it; what sounds before the first belongs to it too.
    ///
    /// - Parameter floor: time before which nothing is served.
    static func sound(
        _ times: [Int64], _ sizes: [UInt32], starts: [Int64], length: Int64, floor: Int64 = 0
    ) -> [PlannedTrack] {
        var tracks = [PlannedTrack](repeating: PlannedTrack(), count: starts.count)
        var index = 0
        for (sample, time) in times.enumerated() where time >= floor && !starts.isEmpty {
            // Time that steps back stays in the segment that is open.
            while index + 1 < starts.count, starts[index + 1] <= time { index += 1 }
            tracks[index].samples += 1
            tracks[index].bytes &+= Int64(sizes[sample])
            // Time that steps back does not move the start either.
            if time >= starts[index] || tracks[index].start == nil || index == 0 {
                tracks[index].start = min(tracks[index].start ?? .max, time)
            }
            tracks[index].end = max(tracks[index].end ?? .min, time &+ length)
        }
        return tracks
    }

    /// What each segment needs first, in reading order.
    static func needs(
        _ segments: [PlannedSegment], _ openings: [SurveyedPoint], _ survey: SourceSurvey, _ facts: TitleFacts,
        _ outputs: [StreamID: [Int64]], timebase: Timebase
    ) -> [AnchorRule.Need] {
        let picture = facts.video.flatMap { survey.tracks[$0] }
        var needs = openings.map { opening in
            AnchorRule.Need(
                ordinal: picture.flatMap { $0.ordinals.isEmpty ? nil : $0.ordinals[opening.number] } ?? 0,
                soundTime: nil)
        }
        for id in facts.audio {
            guard let track = survey.tracks[id], let times = outputs[id], let clock = facts.clocks[id] else { continue }
            let starts = segments.map { $0.start.rescaled(from: timebase, to: clock.timebase, rounding: .up) }
            var index = 0
            for (sample, time) in times.enumerated() where time >= 0 && !starts.isEmpty {
                let before = index
                while index + 1 < starts.count, starts[index + 1] <= time { index += 1 }
                guard index != before else { continue }
                if !track.ordinals.isEmpty { needs[index].ordinal = min(needs[index].ordinal, track.ordinals[sample]) }
                let raw = Timestamp(track.times[sample], track.format.timebase).nanoseconds
                needs[index].soundTime = min(needs[index].soundTime ?? .max, raw)
            }
        }
        return needs
    }
}
