/// Which stretches of a title's time have been read for subtitles. Pure.
package struct CoverageLedger: Sendable, Hashable {
    /// Disjoint, ascending, never touching; milliseconds.
    package private(set) var ranges: [Range<Int64>] = []
    /// Stretches that are kept; the shortest is forgotten first, so that it is read again.
    package static let limit = 1_024

    package init() {}

    package mutating func add(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
        var last = first
        var joined = range
        while last < ranges.endIndex, ranges[last].lowerBound <= range.upperBound {
            joined = min(joined.lowerBound, ranges[last].lowerBound)..<max(joined.upperBound, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: [joined])
        if ranges.count > Self.limit, let shortest = ranges.indices.min(by: { ranges[$0].count < ranges[$1].count }) {
            ranges.remove(at: shortest)
        }
    }

    /// What lay in it is not there any more.
    package mutating func remove(_ range: Range<Int64>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { known -> [Range<Int64>] in
            guard known.overlaps(range) else { return [known] }
            return [
                known.lowerBound..<max(known.lowerBound, range.lowerBound),
                min(known.upperBound, range.upperBound)..<known.upperBound,
            ].filter { !$0.isEmpty }
        }
    }

    package func covers(_ range: Range<Int64>) -> Bool { missing(in: range) == nil }

    /// The first time of a stretch that nobody has read; nil where all of it was.
    package func missing(in range: Range<Int64>) -> Int64? {
        guard !range.isEmpty else { return nil }
        guard let holding = ranges.first(where: { $0.contains(range.lowerBound) }) else { return range.lowerBound }
        return holding.upperBound >= range.upperBound ? nil : holding.upperBound
    }
}
