import SluiceBitstream
import SluiceCore

/// What of a sound a decoder makes and a player must not play, in titles without pictures. Pure.
enum PrimingRule {
    static func apply(_ facts: inout TitleFacts, _ tracks: [StreamID: SurveyedTrack]) {
        for id in facts.audio {
            guard let track = tracks[id], let clock = facts.clocks[id], let first = track.times.first else { continue }
            let priming = priming(track, clock, first)
            if priming > 0 { facts.primings[id] = priming }
            facts.tails[id] = tail(track, clock)
        }
    }

    /// Containers stamp what precedes the first audible sample below zero (edit lists, codec delays), or say how many
    /// samples to skip (the headers of MP3 coders, iTunes); the stamp may be rounded, counts of samples are exact.
    private static func priming(_ track: SurveyedTrack, _ clock: TrackClock, _ first: Int64) -> Int64 {
        let timescale = Int64(clock.timescale)
        let rate = Int64(track.format.audio?.sampleRate ?? 0)
        let skipped = rate > 0 ? Int64(track.skippedStart).scaled(by: timescale, over: rate) : 0
        guard first < 0 else { return skipped }
        let stamped = (0 &- first).rescaled(from: clock.source, to: clock.timebase)
        let head = track.format.codec == "opus" ? OpusConfiguration(head: track.format.extradata) : nil
        let preSkip = head.map { Int64($0.preSkip).scaled(by: timescale, over: 48_000) } ?? 0
        return [skipped, preSkip].first { $0 > 0 && abs($0 &- stamped) <= rounding(clock) } ?? stamped
    }

    /// Ticks of the last frame that are heard; nil where all of it is.
    private static func tail(_ track: SurveyedTrack, _ clock: TrackClock) -> Int64? {
        let rate = Int64(track.format.audio?.sampleRate ?? 0)
        guard track.count > 1, rate > 0, Int64(clock.timescale) == rate, let whole = length(track, clock) else {
            return nil
        }
        let dropped = Int64(track.skippedEnd)
        if dropped > 0 { return dropped < whole ? whole &- dropped : nil }
        // Their last frames hold no more than is heard, and say so themselves.
        guard track.format.codec != "flac", track.format.codec != "alac" else { return nil }
        let declared = track.lastDuration.rescaled(from: clock.source, to: clock.timebase)
        return declared > 0 && whole &- declared > rounding(clock) ? declared : nil
    }

    /// What a whole frame lasts. Containers declare no length for Opus, whose frames last what their coder likes: the two
    /// before the last tell.
    private static func length(_ track: SurveyedTrack, _ clock: TrackClock) -> Int64? {
        if track.format.codec == "opus" {
            let last = track.times.suffix(2)
            guard let first = last.first, let second = last.last, second > first else { return nil }
            let exact = (second &- first).rescaled(from: clock.source, to: clock.timebase)
            // Stamps may be rounded.
            return FactsBuilder.opusFrame(near: exact).flatMap { abs($0 &- exact) <= rounding(clock) ? $0 : nil }
        }
        return track.format.audio?.frameSize.flatMap { $0 > 0 ? Int64($0) : nil }
    }

    /// One tick of the source, on the output.
    private static func rounding(_ clock: TrackClock) -> Int64 {
        Int64(1).rescaled(from: clock.source, to: clock.timebase, rounding: .up)
    }
}
