/// Decode times, presentation times and lengths of the samples of a segment, in coding order. Ticks of the track.
struct SampleTimes {
    var decodes: [Int64] = []
    var shown: [Int64] = []
    var lengths: [Int64] = []
}

/// Gives the samples of a segment their times, from themselves and from where the next segment begins. Pure.
struct TimingRule {
    /// Ticks a sample lasts where nothing else says so; at least 1.
    let nominal: Int64
    /// Ticks that sounds of any length may lie off twice over: what a frame of silence lasts, 0 without one.
    let soundTolerance: Int64

    /// Where pictures declare their order, it tells which of the segment's times each of them takes. Equal stamps would
    /// give a picture no time at all: later ones move on by a tick.
    ///
    /// - Parameter next: first time of the following segment, until which the picture that is presented last is shown.
    func pictures(_ samples: [TimedSample], next: Int64?) -> SampleTimes {
        let isDeclared = samples.allSatisfy { $0.order != nil }
        let order = samples.indices.sorted { first, second in
            if isDeclared, let left = samples[first].order, let right = samples[second].order,
                left < right || right < left
            {
                return left < right
            }
            let (left, right) = (samples[first].presentation, samples[second].presentation)
            return left != right ? left < right : first < second
        }
        var places = samples.map(\.presentation).sorted()
        for place in places.indices.dropFirst() {
            let earlier = places[place - 1]
            places[place] = max(places[place], earlier == .max ? .max : earlier &+ 1)
        }
        var times = SampleTimes(shown: places, lengths: places)
        for (place, sample) in order.enumerated() {
            times.shown[sample] = places[place]
            let end = place + 1 < places.count ? places[place + 1] : next
            let isShown = end.map { $0 > places[place] } ?? false
            times.lengths[sample] = isShown ? (end ?? 0) &- places[place] : length(samples[sample])
        }
        var decode = places.first ?? 0
        times.decodes = times.lengths.map { length in
            defer { decode &+= length }
            return decode
        }
        return times
    }

    /// Frames follow each other without a gap as long as their stamps lie within half a frame of that; where they come
    /// later, the stamp counts. Where they come earlier they say again what was said (recordings that were joined, clocks
    /// that step back) and are left out, so that every sample lasts at least its frame.
    ///
    /// - Parameters:
    ///   - next: first decode time of the following segment, before which the last sample needs half a frame.
    ///   - isLast: the title ends with the segment: its last sample lasts a frame where that is about what is left.
    func sounds(
        _ samples: [TimedSample], next: Int64?, isLast: Bool
    ) -> (samples: [TimedSample], times: SampleTimes) {
        var kept: [TimedSample] = []
        kept.reserveCapacity(samples.count)
        var times = SampleTimes()
        var expected = samples.first?.presentation ?? 0
        for sample in samples where !overlaps(sample, expected) {
            let own = length(sample)
            let isWhole = (sample.presentation &- expected) &* 2 <= tolerance(own)
            let time = isWhole ? expected : sample.presentation
            kept.append(sample)
            times.decodes.append(time)
            expected = time &+ own
        }
        while let next, let last = times.decodes.last, let sample = kept.last, kept.count > 1,
            (next &- last) &* 2 < 2 &* length(sample) &- tolerance(length(sample))
        {
            kept.removeLast()
            times.decodes.removeLast()
        }
        times.shown = times.decodes
        times.lengths = zip(times.decodes.dropFirst(), times.decodes).map { $0 &- $1 }
        if let last = times.decodes.last, let sample = kept.last {
            let (own, rest) = (length(sample), next.map { $0 &- last } ?? 0)
            let isWhole = isLast && abs(rest &- own) &* 2 <= own
            times.lengths.append(rest > 0 && !isWhole ? rest : own)
        }
        return (kept, times)
    }

    func length(_ sample: TimedSample) -> Int64 { sample.duration > 0 ? sample.duration : nominal }

    /// Twice the ticks that a sound may lie from where the one before it ends.
    func tolerance(_ length: Int64) -> Int64 { max(length, soundTolerance) }

    /// Whether a sound begins before most of the one before it is over.
    func overlaps(_ sample: TimedSample, _ expected: Int64) -> Bool {
        (expected &- sample.presentation) &* 2 > tolerance(length(sample))
    }
}
