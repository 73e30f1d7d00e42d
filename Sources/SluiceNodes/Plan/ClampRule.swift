import SluiceBitstream
import SluiceCore

/// Finds the ladder under the stamps of writers that dropped composition offsets and then pushed stamps behind the one
/// before, so that they ascend as the pictures are coded. Pure.
///
/// Such a writer only ever makes a stamp later. On the right step, what lies lowest is the truth, everything else lies
/// above it, and a stamp above it lies less than a step behind the one before. Where one picture says otherwise the
/// stamps are left as they are.
///
/// - Note: behaviours RP-07 to RP-14.
enum ClampRule {
    /// Steps that a stamp may be late.
    static let reach: Int64 = 16
    /// Time over which a group that is late as a whole may wait for one that is not.
    static let patience = Duration.seconds(120)
    /// The share of pictures that are not late, at least one of so many.
    static let leastShare = 24
    /// Fewer pictures prove nothing.
    static let leastCount = 24

    /// - Parameters:
    ///   - pictures: in coding order; all of them are needed.
    ///   - points: numbers of the random access points.
    ///   - stated: rates that parameter sets and container state, the better one first.
    static func ladder(
        _ pictures: [StampRule.Picture], points: [Int], _ timebase: Timebase, stated: [Timebase]
    ) -> PictureLadder? {
        guard pictures.count >= leastCount, points.first == 0 else { return nil }
        let stamps = pictures.compactMap { $0.presentation == $0.decode ? $0.presentation : nil }
        guard stamps.count == pictures.count, StampRule.ascends(stamps.lazy.map { $0 }),
            let (ranks, unit) = ranks(pictures)
        else { return nil }
        // The last pictures are pushed, the last random access point may be late: either end is a guess.
        let ends = [stamps.count - 1, points.last ?? 0].filter { ranks[$0] >= Int64(leastCount) }
        var periods: [Timebase] = []
        for end in ends {
            let step = Double(stamps[end] &- stamps[0]) / Double(end == stamps.count - 1 ? Int64(end) : ranks[end])
            let seconds = step * Double(timebase.numerator) / Double(timebase.denominator)
            periods += CadenceRule.candidates(near: seconds, stated: stated).filter { !periods.contains($0) }
        }
        var best: (share: Int, rungs: [PictureLadder.Rung], period: Timebase)?
        for period in periods {
            let climb = Climb(stamps: stamps, ranks: ranks, points: points, timebase: timebase, period: period)
            guard let origins = climb.origins() else { continue }
            // On an even ladder nothing is late: there is nothing to mend here.
            guard let onTime = climb.onTime(origins), onTime.nearly < stamps.count,
                onTime.nearly * leastShare >= stamps.count, best.map({ onTime.exactly > $0.share }) ?? true
            else { continue }
            best = (onTime.exactly, climb.rungs(origins), period)
        }
        return best.map { PictureLadder(period: $0.period, unit: unit, rungs: $0.rungs) }
    }

    /// The number of each picture in presentation order, counted over all sequences, and what the order count grows by.
    /// Nil where a picture is missing: then nothing tells how long the hole is.
    private static func ranks(_ pictures: [StampRule.Picture]) -> ([Int64], Int32)? {
        guard pictures.allSatisfy({ $0.order != nil && $0.order?.field == nil }) else { return nil }
        let order = StampRule.ordered(pictures, pictures.indices)
        var unit: Int32 = 0
        for (left, right) in zip(order, order.dropFirst()) {
            guard let before = pictures[left].order, let after = pictures[right].order else { return nil }
            guard before.sequence == after.sequence else { continue }
            let (step, overflow) = after.count.subtractingReportingOverflow(before.count)
            guard !overflow, step > 0 else { return nil }
            if unit == 0 { unit = step }
            guard step == unit else { return nil }
        }
        guard unit > 0 else { return nil }
        var ranks = [Int64](repeating: 0, count: pictures.count)
        for (rank, number) in order.enumerated() { ranks[number] = Int64(rank) }
        return (ranks, unit)
    }

    /// One step that is tried.
    private struct Climb {
        let stamps: [Int64]
        let ranks: [Int64]
        let points: [Int]
        let timebase: Timebase
        let period: Timebase

        /// Ticks from the ladder's foot to a rank.
        private func height(_ rank: Int64) -> Int64 { rank.rescaled(from: period, to: timebase) }
        private var step: Int64 { max(1, height(1)) }
        /// How far a stamp may lie off: roundings, and a clock that is not quite the stated one.
        private var slack: Int64 { max(1, step / 16) }

        private func group(_ number: Int) -> Range<Int> {
            points[number]..<(number + 1 < points.count ? points[number + 1] : stamps.count)
        }

        /// Where the foot lies for each group: the lowest of it and of the groups that come soon. Nil where no period of
        /// this length is near the stamps at all.
        func origins() -> [Int64]? {
            let lowest = points.indices.map { number in
                group(number).lazy.map { stamps[$0] &- height(ranks[$0]) }.min() ?? 0
            }
            var origins = lowest
            let wait = ClampRule.patience.nanoseconds.rescaled(from: .nanoseconds, to: timebase)
            for number in lowest.indices {
                var later = number + 1
                while later < lowest.count, stamps[points[later]] &- stamps[points[number]] <= wait {
                    origins[number] = min(origins[number], lowest[later])
                    later += 1
                    // Groups of single pictures would make this a square.
                    if later - number > 256 { break }
                }
                guard lowest[number] &- origins[number] <= step &* ClampRule.reach else { return nil }
            }
            return origins
        }

        /// Pictures that are not late; nil where one is late in another way than by being pushed.
        func onTime(_ origins: [Int64]) -> (exactly: Int, nearly: Int)? {
            var count = (exactly: 0, nearly: 0)
            for number in points.indices {
                for picture in group(number) {
                    let late = stamps[picture] &- height(ranks[picture]) &- origins[number]
                    if late <= slack {
                        if late <= 1 { count.exactly += 1 }
                        count.nearly += 1
                        continue
                    }
                    guard late <= step &* ClampRule.reach else { return nil }
                    // A random access point may be late by itself, what follows only because of what is before it.
                    let isPushed = picture > 0 && stamps[picture] &- stamps[picture - 1] < step &- slack
                    guard isPushed || picture == group(number).lowerBound else { return nil }
                }
            }
            return count
        }

        func rungs(_ origins: [Int64]) -> [PictureLadder.Rung] {
            points.enumerated().map { number, point in
                PictureLadder.Rung(stamp: stamps[point], place: origins[number] &+ height(ranks[point]))
            }
        }
    }
}
