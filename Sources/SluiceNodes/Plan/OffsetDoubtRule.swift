/// Which pictures of a movie file are to be looked at, because its tables could have lost their composition offsets. Pure.
///
/// - Note: behaviours RP-12, RP-19, RP-20.
enum OffsetDoubtRule {
    /// Pictures in a row that are shown when they are decoded although others are shown later: no more than one mini
    /// group has of those.
    static let longestRun = 16
    /// Groups that are looked at.
    static let rangeLimit = 8

    /// - Parameters:
    ///   - times: presentation times in coding order; `decodes` are the decode times.
    ///   - points: numbers of the random access points.
    /// - Returns: ranges that begin with a random access point; empty where the tables leave no doubt.
    static func ranges(_ times: [Int64], _ decodes: [Int64], points: [Int]) -> [Range<Int>] {
        guard times.count == decodes.count, let opening = points.first, times.indices.contains(opening) else {
            return []
        }
        // Nothing is reordered, or so the tables say.
        if StampRule.ascends(times.lazy.map { $0 }) { return [opening..<times.count] }
        let lead = times[opening] &- decodes[opening]
        guard lead > 0 else { return [] }
        var ranges: [Range<Int>] = []
        for (number, begin) in points.enumerated() where ranges.count < rangeLimit && times.indices.contains(begin) {
            let end = number + 1 < points.count ? min(points[number + 1], times.count) : times.count
            guard begin < end else { continue }
            let isAscending = StampRule.ascends(times[begin..<end].lazy.map { $0 })
            let isZero = times[begin] &- decodes[begin] != lead
            if end - begin > 2, isAscending, isZero {
                ranges.append(begin..<end)
            } else if let run = run(times, decodes, begin..<end) {
                // Only the end of the group has lost them.
                ranges.append(max(begin, run.lowerBound - longestRun)..<run.upperBound)
            }
        }
        return ranges
    }

    private static func run(_ times: [Int64], _ decodes: [Int64], _ group: Range<Int>) -> Range<Int>? {
        var begin = group.lowerBound
        for number in group where times[number] != decodes[number] {
            if number - begin > longestRun { return begin..<number }
            begin = number + 1
        }
        return group.upperBound - begin > longestRun ? begin..<group.upperBound : nil
    }
}
