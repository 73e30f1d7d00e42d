import SluiceBitstream

/// Compares the stamps of pictures with the order that the pictures themselves declare. Pure.
///
/// - Note: behaviours RP-01, RP-03, RP-16, RP-19.
enum StampRule {
    struct Picture: Equatable {
        var presentation: Int64?
        var decode: Int64?
        var order: PictureOrder?
    }

    /// One of so many pictures may contradict the order, or lack a time: damage, not a habit.
    static let tolerance = 20

    /// - Parameters:
    ///   - pictures: in coding order, epochs shifted.
    ///   - opening: number of the first random access point.
    /// - Returns: nil where the stamps are wrong beyond repair.
    static func judge(_ pictures: [Picture], opening: Int) -> PictureStamps? {
        let known = pictures.count { $0.order != nil }
        guard known > 0, known * tolerance >= pictures.count * (tolerance - 1) else { return .container }
        let wrong = contradictions(pictures)
        let missing = isReordered(pictures) ? pictures.count { $0.presentation == nil } : 0
        guard wrong * tolerance > pictures.count || missing > 0 else { return .container }
        if ascends(pictures.map(\.presentation)) { return .coded }
        if ascends(pictures.map(\.decode)) {
            guard pictures.indices.contains(opening), let shown = pictures[opening].presentation,
                let decoded = pictures[opening].decode
            else { return .decode(shift: 0) }
            return .decode(shift: shown &- decoded)
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
            var latest: Int64?
            for place in ordered(pictures, begin..<end) {
                guard let stamp = pictures[place].presentation ?? pictures[place].decode else { continue }
                if let latest, stamp <= latest { wrong += 1 }
                latest = stamp
            }
            begin = end
        }
        return wrong
    }

    private static func ordered(_ pictures: [Picture], _ range: Range<Int>) -> [Int] {
        range.filter { pictures[$0].order != nil }.sorted {
            let (left, right) = (pictures[$0].order?.count ?? 0, pictures[$1].order?.count ?? 0)
            return left != right ? left < right : $0 < $1
        }
    }

    private static func isReordered(_ pictures: [Picture]) -> Bool {
        zip(pictures, pictures.dropFirst()).contains { earlier, later in
            guard let before = earlier.order, let after = later.order else { return false }
            return after < before
        }
    }

    private static func ascends(_ stamps: [Int64?]) -> Bool {
        var latest = Int64.min
        for stamp in stamps {
            guard let stamp, stamp > latest else { return false }
            latest = stamp
        }
        return true
    }
}
