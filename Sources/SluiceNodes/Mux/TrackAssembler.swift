import SluiceBitstream
import SluiceCore

/// A sample on the output timeline, before its decode time and duration are known.
struct TimedSample: Sendable {
    /// Ticks of the track.
    var presentation: Int64
    /// Exact or as declared, in ticks; 0 where unknown.
    var duration: Int64
    var isSync: Bool
    var isDisposable: Bool
    var chunks: [ByteChunk]
    /// Where the picture stands in presentation order, where stamps are places.
    var order: PictureOrder?
    /// Sizes of the frames that make the sample, where they need an index; empty elsewhere.
    var frameSizes: [Int] = []

    /// Takes in the rest of the picture.
    mutating func join(_ rest: TimedSample) {
        if !rest.frameSizes.isEmpty {
            frameSizes = (frameSizes.isEmpty ? [chunks.byteTotal] : frameSizes) + rest.frameSizes
            presentation = rest.presentation
        }
        chunks += rest.chunks
        isDisposable = isDisposable && rest.isDisposable
    }
}

/// All samples of one track in one segment, ready for its fragment.
struct AssembledSegment: Sendable {
    var index: Int
    /// First decode time, in ticks.
    var decodeTime: Int64
    /// Empty where the track has nothing in the segment.
    var samples: [FragmentSample]
}

/// Collects the samples of one track segment by segment and gives them decode times and durations. Pure.
///
/// A picture lasts as long as it is shown, and is decoded when those before it in coding order have lasted, from the
/// segment's first presentation time on; players take a sample's duration for the time that it is shown. That needs no
/// history, so that a segment comes out the same whoever makes it; the first picture of a closed group is presented when
/// it is decoded, and composition offsets may be negative. A sound track decodes when it presents, and its samples last
/// whole frames. The sample that is presented last in a segment lasts until the next segment begins, which the plan knows.
struct TrackAssembler {
    private struct Open {
        var index: Int
        var samples: [TimedSample] = []
        /// Packets that were offered, whatever became of them.
        var packets = 0
        /// Presentation time of its first sample, in coding order.
        var opening: Int64 { samples.first?.presentation ?? 0 }
        var earliest: Int64? { samples.lazy.map(\.presentation).min() }
    }

    /// Whether presentation order can differ from coding order.
    let reorders: Bool
    let timeline: RenditionTimeline
    /// What holds in one piece of the source.
    private struct Part {
        /// Fills holes of the sound; nil leaves them.
        var silence: Silence?
        var rule: TimingRule

        init(_ nominal: Int64, _ silence: Silence?) {
            self.silence = silence
            rule = TimingRule(nominal: max(1, nominal), soundTolerance: silence?.length ?? 0)
        }
    }

    /// Bytes that may be collected before a segment counts as beyond use.
    let byteLimit: Int
    private var parts: [Part]
    /// Number of the part of each segment; empty where there is one.
    private var places: [Int] = []
    private var open: Open?
    /// Complete, but the first decode time of what follows is not known yet.
    private var closed: Open?
    private(set) var heldBytes = 0

    init(
        reorders: Bool, nominal: Int64, timeline: RenditionTimeline, silence: Silence? = nil, byteLimit: Int = 512 << 20
    ) {
        self.reorders = reorders
        self.timeline = timeline
        self.byteLimit = byteLimit
        parts = [Part(nominal, silence)]
    }

    /// Segments may hold sounds of other kinds.
    ///
    /// - Parameter places: number of the kind of each segment.
    mutating func vary(_ kinds: [(nominal: Int64, silence: Silence?)], places: [Int]) {
        guard kinds.count > 1 else { return }
        parts = kinds.map { Part($0.nominal, $0.silence) }
        self.places = places
    }

    private func part(_ index: Int) -> Part {
        parts[places.indices.contains(index) ? min(places[index], parts.count - 1) : 0]
    }

    /// The next sample opens segment `index`; returns what became complete.
    mutating func boundary(_ index: Int) -> [AssembledSegment] {
        var done: [AssembledSegment] = []
        if let waiting = closed { done.append(assemble(waiting, next: open?.earliest)) }
        closed = nil
        if let current = open {
            if let end = timeline.end(current.index) {
                done.append(assemble(current, next: end))
            } else if !current.samples.isEmpty {
                closed = current
            }
        }
        open = Open(index: index)
        return done
    }

    /// - Parameter samples: what one packet became.
    /// - Throws: `.limitExceeded` when a segment grows beyond the byte limit.
    mutating func add(_ samples: [TimedSample]) throws(NodeFailure) -> [AssembledSegment] {
        guard open != nil else { return [] }
        for sample in samples { heldBytes += sample.chunks.byteTotal }
        guard heldBytes <= byteLimit else {
            throw NodeFailure(
                .limitExceeded,
                "segment \(open?.index ?? 0) holds more than \(byteLimit) bytes; expected a cut before that")
        }
        open?.samples += samples
        open?.packets += 1
        guard let current = open else { return [] }
        if let waiting = closed, let last = samples.last {
            // Leading pictures follow their opening picture directly: with the first later picture they are all there.
            guard !reorders || last.presentation > current.opening else { return [] }
            closed = nil
            return [assemble(waiting, next: current.earliest)]
        }
        // Nothing comes for a long time, perhaps nothing at all: nobody should wait for it.
        guard !reorders, let count = timeline.finalCount(current.index), current.packets >= count else { return [] }
        open = nil
        return [assemble(current, next: timeline.end(current.index))]
    }

    /// The rest of the picture that came last.
    mutating func join(_ rest: [TimedSample]) {
        guard let last = open?.samples.indices.last else { return }
        for part in rest {
            heldBytes += part.chunks.byteTotal
            open?.samples[last].join(part)
        }
    }

    /// The end of the stream completes everything.
    mutating func finish() -> [AssembledSegment] {
        var done: [AssembledSegment] = []
        if let waiting = closed { done.append(assemble(waiting, next: open?.earliest)) }
        if let last = open, !last.samples.isEmpty {
            done.append(assemble(last, next: timeline.end(last.index)))
        }
        closed = nil
        open = nil
        return done
    }

    mutating func reset() {
        closed = nil
        open = nil
        heldBytes = 0
    }

    /// - Parameter next: first decode time of the following segment; nil where nothing says it.
    private mutating func assemble(_ segment: Open, next: Int64?) -> AssembledSegment {
        heldBytes -= segment.samples.reduce(0) { $0 + $1.chunks.byteTotal }
        var segment = segment
        let times: SampleTimes
        if reorders {
            times = part(segment.index).rule.pictures(segment.samples, next: next)
        } else {
            let part = part(segment.index)
            if let silence = part.silence { segment.samples = filled(segment, silence, next: next) }
            (segment.samples, times) = part.rule.sounds(
                segment.samples, from: opening(segment), next: next,
                isLast: segment.index + 1 == timeline.count, tail: timeline.tail)
        }
        let samples = segment.samples.enumerated().map { position, sample in
            FragmentSample(
                duration: UInt32(clamping: times.lengths[position]),
                compositionOffset: reorders ? Int32(clamping: times.shown[position] &- times.decodes[position]) : 0,
                isSync: sample.isSync || position == 0,
                dependency: reorders
                    ? FragmentSample.Dependency(
                        dependsOn: sample.isSync || position == 0 ? .no : .yes,
                        isDependedOn: sample.isDisposable ? .no : .unknown)
                    : FragmentSample.Dependency(dependsOn: .no),
                chunks: sample.frameSizes.count > 1
                    ? sample.chunks + [ByteChunk(VP9Superframe.index(sample.frameSizes))] : sample.chunks)
        }
        return AssembledSegment(
            index: segment.index, decodeTime: times.decodes.first ?? timeline.begin(segment.index), samples: samples)
    }

    /// A segment of nothing but silence; nil where the stream has none, or the plan does not say how long it is.
    func silent(_ index: Int) -> AssembledSegment? {
        guard let silence = part(index).silence, let end = timeline.end(index) else { return nil }
        let begin = timeline.begin(index)
        let count = silence.frames(in: end &- begin)
        guard count > 0 else { return nil }
        let samples = (0..<count).map { number in
            let time = begin &+ number &* silence.length
            let length = number + 1 == count ? end &- time : silence.length
            return FragmentSample(
                duration: UInt32(clamping: max(1, length)), compositionOffset: 0, isSync: true,
                dependency: FragmentSample.Dependency(dependsOn: .no), chunks: silence.sample(at: time).chunks)
        }
        return AssembledSegment(index: index, decodeTime: begin, samples: samples)
    }

    /// Where a segment of sound begins: only where the plan has counted does the one before end there.
    private func opening(_ segment: Open) -> Int64? {
        timeline.isExact ? timeline.begin(segment.index) : nil
    }

    /// The samples with frames of silence in holes of half a frame or more.
    private func filled(_ segment: Open, _ silence: Silence, next: Int64?) -> [TimedSample] {
        let (own, rule) = (segment.samples, part(segment.index).rule)
        guard let first = own.first else { return [] }
        var samples: [TimedSample] = []
        // Samples that were taken over: in most segments there is nothing to fill, and none is copied.
        var taken = 0
        var expected = opening(segment) ?? first.presentation
        func fill(_ hole: Int64, before place: Int) {
            let count = silence.frames(in: hole)
            guard count > 0 else { return }
            samples += own[taken..<place]
            taken = place
            for _ in 0..<count {
                samples.append(silence.sample(at: expected))
                expected &+= silence.length
            }
        }
        for place in own.indices {
            let step = rule.step(own, place, expected: expected, next: next)
            guard step != .overlap else { continue }
            if case .hole(let length) = step {
                let start = expected &+ length
                fill(length, before: place)
                // What no frame of silence fills lies behind it.
                if abs(start &- expected) &* 2 > rule.tolerance(rule.length(own[place])) { expected = start }
            }
            expected &+= rule.length(own[place])
        }
        if timeline.isExact, segment.index + 1 < timeline.count, let next { fill(next &- expected, before: own.count) }
        return taken == 0 && samples.isEmpty ? own : samples + own[taken...]
    }
}

extension RenditionTimeline {
    func begin(_ index: Int) -> Int64 { boundaries.indices.contains(index) ? boundaries[index] : 0 }
}
