public import SluiceCore

/// Bit rates as playlists state them. Pure.
///
/// - Note: RFC 8216 §4.3.4.2, §4.1 (a peak is taken over runs of 0.5 to 1.5 target durations).
public enum RateRule {
    /// Bits a second.
    public struct Rates: Sendable, Hashable {
        public var peak: Int
        public var average: Int

        public init(peak: Int, average: Int) {
            self.peak = peak
            self.average = average
        }
    }

    /// - Parameters:
    ///   - bytes: size of each segment.
    ///   - durations: length of each segment, in nanoseconds.
    ///   - target: EXT-X-TARGETDURATION, in nanoseconds.
    /// - Returns: nil where there is nothing to measure.
    public static func rates(bytes: [Int64], durations: [Int64], target: Int64) -> Rates? {
        guard bytes.count == durations.count, !bytes.isEmpty, target > 0 else { return nil }
        let total = durations.reduce(0, &+)
        guard total > 0 else { return nil }
        var peak: Int64 = 0
        for first in bytes.indices {
            var (size, time): (Int64, Int64) = (0, 0)
            for last in first..<bytes.count {
                size = size &+ bytes[last]
                time = time &+ durations[last]
                // A single segment that is longer than a run may be is a run all the same.
                if time > target &+ target / 2, last > first { break }
                if time >= target / 2 { peak = max(peak, rate(size, time)) }
                if time > target &+ target / 2 { break }
            }
        }
        let average = rate(bytes.reduce(0, &+), total)
        return Rates(peak: Int(max(peak, average)), average: Int(average))
    }

    /// Rounded up, so that no real rate exceeds what is stated.
    private static func rate(_ bytes: Int64, _ nanoseconds: Int64) -> Int64 {
        guard nanoseconds > 0 else { return 0 }
        return bytes.scaled(by: 8_000_000_000, over: nanoseconds, rounding: .up)
    }
}

extension TitlePlan {
    /// What fragments add to the samples: boxes of a fragment, and its entry of each sample.
    static let fragmentOverhead: Int64 = 256
    static let sampleOverhead: Int64 = 16

    /// Rates of a variant of these tracks (places in `TitleFacts.served`); nil where bytes were not counted.
    public func rates(tracks: [Int]) -> RateRule.Rates? {
        guard segments.allSatisfy({ segment in tracks.allSatisfy { segment.tracks.indices.contains($0) } }) else {
            return nil
        }
        let durations = segments.indices.map { duration($0).nanoseconds }
        let bytes = segments.map { segment in
            tracks.reduce(Int64(0)) { sum, number in
                let track = segment.tracks[number]
                return sum &+ track.bytes &+ Int64(track.samples) &* Self.sampleOverhead &+ Self.fragmentOverhead
            }
        }
        let longest = durations.max() ?? 0
        let target = max(1, (longest &+ 500_000_000) / 1_000_000_000) &* 1_000_000_000
        return RateRule.rates(bytes: bytes, durations: durations, target: target)
    }

    /// Whether every segment can be decoded alone, which EXT-X-INDEPENDENT-SEGMENTS promises (decisions D21).
    public var isIndependent: Bool {
        !isProvisional && !segments.isEmpty
            && segments.allSatisfy { $0.isClosed ?? ($0.kind == nil && basis != .index) }
    }

    /// What a playlist states for each segment of a track (a place in `TitleFacts.served`).
    ///
    /// From first decode time to first decode time where both are known, which is what the segments themselves add up
    /// to; everything else follows the plan's starts.
    ///
    /// - Parameter timebase: the track's clock.
    public func playlistDurations(track: Int, timebase clock: Timebase) -> [Duration] {
        func begin(_ index: Int) -> Int64 {
            guard index < segments.count else {
                let last = segments.last.flatMap { $0.tracks.indices.contains(track) ? $0.tracks[track].end : nil }
                return last ?? end.rescaled(from: timebase, to: clock)
            }
            let segment = segments[index]
            let known = segment.tracks.indices.contains(track) ? segment.tracks[track].start : nil
            return known ?? (segment.decodeStart ?? segment.start).rescaled(from: timebase, to: clock)
        }
        return segments.indices.map { index in
            .nanoseconds(max(1, begin(index + 1) &- begin(index)).rescaled(from: clock, to: .nanoseconds))
        }
    }
}
