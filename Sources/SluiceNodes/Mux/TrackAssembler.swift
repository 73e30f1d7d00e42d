import SluiceBitstream
import SluiceCore

/// A sample on the output timeline, before its decode time and duration are known.
struct TimedSample: Sendable {
    /// Ticks of the track.
    var presentation: Int64
    /// As declared, in ticks; 0 where unknown.
    var duration: Int64
    var isSync: Bool
    var isDisposable: Bool
    var chunks: [ByteChunk]
}

/// All samples of one track in one segment, ready for its fragment.
struct AssembledSegment: Sendable {
    var index: Int
    /// First decode time, in ticks.
    var decodeTime: Int64
    /// Ticks from the first decode time to the end of the last sample.
    var length: Int64
    var samples: [FragmentSample]
}

/// Collects the samples of one track segment by segment and gives them decode times and durations. Pure.
///
/// A picture track's decode times are its segment's presentation times in ascending order: sample i is decoded at the
/// i-th smallest of them. They need no history, so that a segment comes out the same whoever makes it; the first
/// picture of a closed group is presented when it is decoded, and composition offsets may be negative. A sound track
/// decodes when it presents.
struct TrackAssembler {
    private struct Open {
        var index: Int
        var samples: [TimedSample] = []
        /// Presentation time of its first sample, in coding order.
        var opening: Int64 { samples.first?.presentation ?? 0 }
        var earliest: Int64 { samples.reduce(Int64.max) { min($0, $1.presentation) } }
    }

    /// Whether presentation order can differ from coding order.
    let reorders: Bool
    /// Ticks a sample lasts where nothing else says so; at least 1.
    let nominal: Int64
    /// Bytes that may be collected before a segment counts as beyond use.
    let byteLimit: Int
    private var open: Open?
    /// Complete, but the first decode time of what follows is not known yet.
    private var closed: Open?
    private(set) var heldBytes = 0

    init(reorders: Bool, nominal: Int64, byteLimit: Int = 512 << 20) {
        self.reorders = reorders
        self.nominal = max(1, nominal)
        self.byteLimit = byteLimit
    }

    /// The next sample opens segment `index`; returns what became complete.
    mutating func boundary(_ index: Int) -> [AssembledSegment] {
        var done: [AssembledSegment] = []
        if let waiting = closed { done.append(assemble(waiting, next: open?.earliest)) }
        closed = open
        open = Open(index: index)
        if let empty = closed, empty.samples.isEmpty { closed = nil }
        return done
    }

    /// - Throws: `.limitExceeded` when a segment grows beyond the byte limit.
    mutating func add(_ sample: TimedSample) throws(NodeFailure) -> [AssembledSegment] {
        guard open != nil else { return [] }
        heldBytes += sample.chunks.byteTotal
        guard heldBytes <= byteLimit else {
            throw NodeFailure(
                .limitExceeded, "segment \(open?.index ?? 0) holds more than \(byteLimit) bytes; expected a cut before that")
        }
        open?.samples.append(sample)
        guard let waiting = closed, let current = open else { return [] }
        // Leading pictures follow their opening picture directly: with the first later picture they are all there.
        let isSettled = !reorders || sample.presentation > current.opening
        guard isSettled else { return [] }
        closed = nil
        return [assemble(waiting, next: current.earliest)]
    }

    /// The end of the stream completes everything.
    mutating func finish() -> [AssembledSegment] {
        var done: [AssembledSegment] = []
        if let waiting = closed { done.append(assemble(waiting, next: open?.earliest)) }
        if let last = open, !last.samples.isEmpty { done.append(assemble(last, next: nil)) }
        closed = nil
        open = nil
        return done
    }

    mutating func reset() {
        closed = nil
        open = nil
        heldBytes = 0
    }

    /// - Parameter next: first decode time of the following segment; nil at the end of the stream.
    private mutating func assemble(_ segment: Open, next: Int64?) -> AssembledSegment {
        heldBytes -= segment.samples.reduce(0) { $0 + $1.chunks.byteTotal }
        var decodes = segment.samples.map(\.presentation)
        if reorders { decodes.sort() }
        // Equal or backward stamps would give a sample no time at all: each gets at least a tick.
        for index in decodes.indices.dropFirst() where decodes[index] <= decodes[index - 1] {
            decodes[index] = decodes[index - 1] &+ 1
        }
        let last = decodes.count - 1
        var samples: [FragmentSample] = []
        samples.reserveCapacity(decodes.count)
        for (position, sample) in segment.samples.enumerated() {
            let following = position < last ? decodes[position + 1] : next
            let length = duration(from: decodes[position], to: following, isLast: position == last, sample: sample)
            samples.append(
                FragmentSample(
                    duration: UInt32(clamping: length),
                    compositionOffset: Int32(clamping: sample.presentation &- decodes[position]),
                    isSync: sample.isSync,
                    dependency: reorders
                        ? FragmentSample.Dependency(
                            dependsOn: sample.isSync ? .no : .yes, isDependedOn: sample.isDisposable ? .no : .unknown)
                        : FragmentSample.Dependency(dependsOn: .no),
                    chunks: sample.chunks))
        }
        let start = decodes.first ?? 0
        let total = samples.reduce(Int64(0)) { $0 &+ Int64($1.duration) }
        return AssembledSegment(index: segment.index, decodeTime: start, length: total, samples: samples)
    }

    /// A sample lasts until the next one. Sound at the end of a segment lasts its own whole frame where a hole follows:
    /// the next segment's decode time says how long the hole is.
    private func duration(from start: Int64, to next: Int64?, isLast: Bool, sample: TimedSample) -> Int64 {
        let own = sample.duration > 0 ? sample.duration : nominal
        guard let next, next > start else { return own }
        let distance = next &- start
        if isLast, !reorders, distance > own &* 2 { return own }
        return distance
    }
}
