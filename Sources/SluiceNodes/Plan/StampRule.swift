import SluiceBitstream

/// Compares the stamps of pictures with the order that the pictures themselves declare. Pure.
///
/// - Note: behaviours RP-01, RP-03, RP-06, RP-16, RP-19.
enum StampRule {
    struct Picture: Equatable {
        var presentation: Int64?
        var decode: Int64?
        var order: PictureOrder?
    }

    /// One of so many pictures may contradict the order, or lack a time: damage, not a habit.
    static let tolerance = 20
    /// Contradictions in groups whose stamps ascend as they are coded, from which on they are a habit.
    static let leastContradictions = 3

    /// - Parameters:
    ///   - pictures: in coding order, epochs shifted.
    ///   - points: numbers of the random access points, ascending; what lies between two is a group.
    ///   - isMovie: decode times are the file's own, not made up by a demuxer.
    /// - Returns: nil where the stamps are wrong beyond repair.
    static func judge(_ pictures: [Picture], points: [Int], isMovie: Bool = false) -> PictureStamps? {
        let known = pictures.count { $0.order != nil }
        guard known > 0, known * tolerance >= pictures.count * (tolerance - 1) else { return .container }
        let wrong = contradictions(pictures)
        let missing = isReordered(pictures[...]) ? pictures.count { $0.presentation == nil } : 0
        let isHabit = wrong * tolerance > pictures.count || missing > 0
        if isMovie, missing == 0, isHabit || wrong >= leastContradictions,
            let stamps = MissingOffsetRule.stamps(pictures, points: points)
        {
            return stamps
        }
        guard isHabit else { return .container }
        if ascends(pictures.lazy.map(\.presentation)) { return .coded }
        if ascends(pictures.lazy.map(\.decode)) {
            let opening = points.first ?? 0
            guard pictures.indices.contains(opening), let shown = pictures[opening].presentation,
                let decoded = pictures[opening].decode
            else { return .decode([PictureStamps.Stretch(shift: 0)]) }
            return .decode([PictureStamps.Stretch(shift: shown &- decoded)])
        }
        return (wrong + missing) * tolerance > pictures.count ? nil : .container
    }

    /// Neighbours in presentation order whose stamps do not ascend.
    static func contradictions(_ pictures: [Picture]) -> Int {
        var wrong = 0
        var begin = 0
        while begin < pictures.count {
            let sequence = pictures[begin].order?.sequence
            var end = begin + 1
            while end < pictures.count, pictures[end].order?.sequence == sequence { end += 1 }
            wrong += contradictions(pictures, begin..<end)
            begin = end
        }
        return wrong
    }

    static func contradictions(_ pictures: [Picture], _ range: Range<Int>) -> Int {
        var wrong = 0
        var latest: Int64?
        for place in ordered(pictures, range) {
            guard let stamp = pictures[place].presentation ?? pictures[place].decode else { continue }
            if let latest, stamp <= latest { wrong += 1 }
            latest = stamp
        }
        return wrong
    }

    /// Numbers of the pictures of a range that declare their order, as they are shown.
    static func ordered(_ pictures: [Picture], _ range: Range<Int>) -> [Int] {
        range.filter { pictures[$0].order != nil }.sorted {
            guard let left = pictures[$0].order, let right = pictures[$1].order, left < right || right < left else {
                return $0 < $1
            }
            return left < right
        }
    }

    static func isReordered(_ pictures: ArraySlice<Picture>) -> Bool {
        zip(pictures, pictures.dropFirst()).contains { earlier, later in
            guard let before = earlier.order, let after = later.order else { return false }
            return after < before
        }
    }

    static func ascends(_ stamps: some Sequence<Int64?>) -> Bool {
        var latest = Int64.min
        for stamp in stamps {
            guard let stamp, stamp > latest else { return false }
            latest = stamp
        }
        return true
    }
}
