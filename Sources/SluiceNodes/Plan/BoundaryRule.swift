/// Chooses which random access points open segments. Pure; times are ticks of one clock.
public enum BoundaryRule {
    /// For segment N the first point at or after (N + 1) × `target`, counted from the title's origin, closes it.
    ///
    /// `points` are presentation times in ascending order; the first opens segment 0 whatever its time. Segments
    /// shorter than `minimum` are folded into their predecessor, a first one into its successor, a last one shorter
    /// than `target` back, so that no playlist entry is a sliver (behaviours PL-01, PL-10).
    ///
    /// - Parameter forced: points that open a segment whatever its length, because another configuration begins there.
    public static func starts(
        points: [Int64], end: Int64, target: Int64, minimum: Int64, forced: Set<Int64> = []
    ) -> [Int64] {
        guard let first = points.first, target > 0 else { return [] }
        var starts = [first]
        var threshold = first &+ target
        for point in points.dropFirst() where point >= threshold || forced.contains(point) {
            starts.append(point)
            if threshold <= point { threshold = following(threshold, point, target) }
        }
        return folded(starts, end: end, target: target, minimum: minimum, forced: forced)
    }

    /// The first multiple of `target` from `threshold` on that lies behind `point`, however far that is.
    private static func following(_ threshold: Int64, _ point: Int64, _ target: Int64) -> Int64 {
        let distance = point.subtractingReportingOverflow(threshold)
        let step = (distance.partialValue / target + 1).multipliedReportingOverflow(by: target)
        let sum = threshold.addingReportingOverflow(step.partialValue)
        return distance.overflow || step.overflow || sum.overflow ? .max : sum.partialValue
    }

    static func folded(
        _ starts: [Int64], end: Int64, target: Int64, minimum: Int64, forced: Set<Int64> = []
    ) -> [Int64] {
        var kept: [Int64] = []
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? starts[index + 1] : end
            let isShort = next &- start < minimum
            if !forced.contains(start) {
                // A short one belongs to what is before it; the first has nothing before it, so the second start goes.
                if isShort, !kept.isEmpty { continue }
                if kept.count == 1, let first = kept.first, start &- first < minimum { continue }
            }
            kept.append(start)
        }
        if kept.count > 1, let last = kept.last, end &- last < target, !forced.contains(last) { kept.removeLast() }
        return kept
    }
}
