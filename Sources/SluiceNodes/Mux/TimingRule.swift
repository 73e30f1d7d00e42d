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

    /// Frames follow each other without a gap as long as their stamps lie within half a frame of that. Where they come
    /// later for good, the stamp counts. Where they come earlier for good they say again what was said (recordings that
    /// were joined, clocks that step back) and are left out, so that every sample lasts at least its frame.
    ///
    /// - Parameters:
    ///   - begin: where the segment begins; nil where only its first sample tells.
    ///   - next: first decode time of the following segment, before which the last sample needs half a frame.
    ///   - isLast: the title ends with the segment: the last sample lasts what its frame does, however its stamp and its
    ///     container's length were rounded.
    ///   - tail: ticks of the title's last sample that are heard; nil where all of it is.
    func sounds(
        _ samples: [TimedSample], from begin: Int64?, next: Int64?, isLast: Bool, tail: Int64?
    ) -> (samples: [TimedSample], times: SampleTimes) {
        var times = SampleTimes()
        times.decodes.reserveCapacity(samples.count)
        // Nearly always all of them.
        var kept: [Int] = []
        kept.reserveCapacity(samples.count)
        var expected = begin ?? samples.first?.presentation ?? 0
        for place in samples.indices {
            let step = step(samples, place, expected: expected, next: next)
            guard step != .overlap else { continue }
            if case .hole(let length) = step { expected &+= length }
            kept.append(place)
            times.decodes.append(expected)
            expected &+= length(samples[place])
        }
        while !isLast, let next, let last = times.decodes.last, let place = kept.last, kept.count > 1,
            (next &- last) &* 2 < 2 &* length(samples[place]) &- tolerance(length(samples[place]))
        {
            kept.removeLast()
            times.decodes.removeLast()
        }
        times.shown = times.decodes
        times.lengths = zip(times.decodes.dropFirst(), times.decodes).map { $0 &- $1 }
        if let last = times.decodes.last, let place = kept.last {
            let (own, rest) = (length(samples[place]), next.map { $0 &- last } ?? 0)
            times.lengths.append(isLast ? min(own, tail ?? own) : rest > 0 ? rest : own)
        }
        return (kept.count == samples.count ? samples : kept.map { samples[$0] }, times)
    }

    /// How a sound follows the one before it.
    enum Step: Equatable {
        case continues
        /// Ticks in which there is nothing.
        case hole(Int64)
        /// It begins before the one before it is over.
        case overlap
    }

    /// Sounds whose stamps are looked at before one is believed that does not follow: stamps may be rounded, shared by the
    /// sounds of a packet, or wrong.
    static let lookahead = 8

    /// - Parameters:
    ///   - expected: where the sound before it ends.
    ///   - next: first decode time of the following segment.
    func step(_ samples: [TimedSample], _ place: Int, expected: Int64, next: Int64?) -> Step {
        let own = tolerance(length(samples[place]))
        let drift = samples[place].presentation &- expected
        guard abs(drift) &* 2 > own else { return .continues }
        // How far those after it lie off if they follow it.
        var (least, most) = (drift, drift)
        var time = expected
        for later in place..<min(samples.count, place + Self.lookahead) {
            let drift = samples[later].presentation &- time
            (least, most) = (min(least, drift), max(most, drift))
            time &+= length(samples[later])
        }
        if place + Self.lookahead >= samples.count, let next {
            let drift = next &- time
            (least, most) = (min(least, drift), max(most, drift))
        }
        if least &* 2 > own { return .hole(least) }
        return most &* -2 > own ? .overlap : .continues
    }

    func length(_ sample: TimedSample) -> Int64 { sample.duration > 0 ? sample.duration : nominal }

    /// Twice the ticks that a sound may lie from where the one before it ends.
    func tolerance(_ length: Int64) -> Int64 { max(length, soundTolerance) }
}
