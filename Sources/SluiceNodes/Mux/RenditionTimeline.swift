public import SluiceCore

/// Where each segment of one stream begins and ends, from facts and plan alone. Pure.
///
/// The fragments and the playlists are both made from it, so that EXTINF is what the media lasts. Times are ticks of
/// the stream's clock.
public struct RenditionTimeline: Sendable, Hashable {
    /// First decode time of each segment; the last element is the end of the last one. Ascending.
    public let boundaries: [Int64]
    /// Segments that have nothing of the stream, not even silence.
    public let gaps: Set<Int>
    /// Segments of which the plan knows that the source has nothing of the stream in them.
    private let pauses: Set<Int>
    /// Samples of each segment; empty where nobody has counted.
    let counts: [Int]
    /// Whether ``boundaries`` were looked up in the source, not derived from the index.
    let isExact: Bool
    /// Ticks of the last sample where the container says that it is cut short.
    let tail: Int64?
    public let timebase: Timebase

    public init(facts: TitleFacts, plan: TitlePlan, stream: StreamID) {
        if let sound = facts.bridges[stream] {
            let grid = BridgeTimeline(sound.encoded, plan)
            (boundaries, timebase, counts) = (grid.boundaries, grid.timebase, grid.counts)
            let empty = Set(grid.counts.indices.filter { grid.counts[$0] == 0 })
            (gaps, pauses, isExact, tail) = (empty, empty, true, nil)
            return
        }
        let clock = facts.clocks[stream]
        let timebase = clock?.timebase ?? plan.timebase
        self.timebase = timebase
        let place = facts.served.firstIndex(of: stream) ?? 0
        let isCounted = plan.segments.allSatisfy { $0.tracks.indices.contains(place) }
        let isPicture = stream == facts.video
        var pauses: Set<Int> = []
        var counts: [Int] = []
        if isCounted {
            counts = plan.segments.map { $0.tracks[place].samples }
            if !isPicture { pauses = Set(counts.indices.filter { counts[$0] == 0 }) }
        }
        self.pauses = pauses
        self.counts = counts
        isExact = isCounted
        tail = facts.tails[stream]
        let silences = (0..<(isPicture ? 1 : facts.sections(of: stream))).map { piece in
            isCounted ? Silence(facts, stream, piece: piece) : nil
        }
        func silence(_ index: Int) -> Silence? {
            silences[isPicture ? 0 : facts.section(of: stream, version: plan.segments[index].version)]
        }
        let list = Self.boundaries(facts, plan, stream, isCounted ? place : nil, clock, timebase, silence)
        boundaries = list
        // Beside pictures a pause is filled where it can be.
        gaps = pauses.filter { index in
            guard let silence = silence(index), facts.video != nil, index + 1 < list.count else { return true }
            return silence.frames(in: list[index + 1] &- list[index]) == 0
        }
    }

    private static func boundaries(
        _ facts: TitleFacts, _ plan: TitlePlan, _ stream: StreamID, _ place: Int?, _ clock: TrackClock?,
        _ timebase: Timebase, _ silence: (Int) -> Silence?
    ) -> [Int64] {
        let isPicture = stream == facts.video
        var list: [Int64] = []
        list.reserveCapacity(plan.segments.count + 1)
        for (index, segment) in plan.segments.enumerated() {
            let planned = segment.start.rescaled(from: plan.timebase, to: timebase, rounding: .up)
            var time = planned
            if isPicture {
                time = (segment.decodeStart ?? segment.start).rescaled(from: plan.timebase, to: timebase)
            } else if let place {
                if let start = segment.tracks[place].start {
                    // Sound that begins late, or again after a pause, is preceded by silence.
                    let end = index > 0 ? plan.segments[index - 1].tracks[place].end ?? planned : planned
                    let hole = start &- max(planned, end)
                    time = start &- (silence(index).map { $0.wholeFrames(in: hole) &* $0.length } ?? 0)
                } else if index > 0, let end = plan.segments[index - 1].tracks[place].end {
                    time = max(planned, end)
                }
            } else if let clock, index > 0 {
                time = clock.firstPlace(notBefore: planned)
            }
            list.append(max(time, (list.last ?? Int64.min) == .min ? time : (list.last ?? 0) &+ 1))
        }
        let planned = plan.end.rescaled(from: plan.timebase, to: timebase)
        var end = facts.spans[stream]?.end ?? planned
        if let place, !isPicture, plan.segments.last?.tracks[place].samples == 0 { end = planned }
        list.append(max(end, (list.last ?? 0) &+ 1))
        return list
    }

    public var count: Int { max(0, boundaries.count - 1) }

    /// Where the segment after `index` begins, which is where this one ends; nil where only the media tells.
    func end(_ index: Int) -> Int64? {
        isExact && boundaries.indices.contains(index + 1) ? boundaries[index + 1] : nil
    }

    func isPause(_ index: Int) -> Bool { pauses.contains(index) }

    /// Samples of a segment after which there is nothing for as long as a segment; nil elsewhere.
    func finalCount(_ index: Int) -> Int? {
        guard counts.indices.contains(index), index + 1 == counts.count || counts[index + 1] == 0 else { return nil }
        return counts[index]
    }

    /// Length of each segment as playlists state it.
    public var durations: [Duration] {
        var list: [Duration] = []
        for (begin, end) in zip(boundaries, boundaries.dropFirst()) {
            let (first, last) = (
                begin.rescaled(from: timebase, to: .nanoseconds), end.rescaled(from: timebase, to: .nanoseconds)
            )
            list.append(.nanoseconds(max(1, last &- first)))
        }
        return list
    }
}

extension TrackClock {
    /// The first place of a sample at or after an output time, on the grid where there is one.
    func firstPlace(notBefore time: Int64) -> Int64 {
        guard let grid, grids.count == 1 else { return time }
        let (distance, overflow) = time.subtractingReportingOverflow(grid.phase)
        guard !overflow else { return time }
        let steps = distance / grid.period + (distance % grid.period > 0 ? 1 : 0)
        return grid.phase &+ steps &* grid.period
    }
}
