import SluiceBitstream

/// Finds presentation times for the pictures of movie files whose writers kept no composition offsets, throughout or from
/// somewhere on. Pure.
///
/// Decode times are what such a file has left. A coder that delays decoding by so many pictures decodes each one when the
/// one that many places earlier is shown: the time of a place is the decode time of the picture that many places later.
/// Where groups with offsets bear that out, or bear out that one distance holds everywhere, it is so for all pictures;
/// otherwise groups with offsets keep their own times.
///
/// - Note: behaviours RP-03, RP-06, RP-19.
enum MissingOffsetRule {
    /// Pictures that presentation may lag decoding.
    ///
    /// - Note: behaviours RP-13.
    static let longestDelay = 16
    /// Stretches of one distance, beyond which one distance has to do for all.
    static let stretchLimit = 4_096

    private struct Group {
        enum Kind {
            /// Stamps follow the order of the pictures, which is not that of their coding.
            case sound
            /// Pictures are shown in the order in which they are coded: either kind of stamps fits.
            case plain
            /// Stamps ascend as the pictures are coded, although these are shown in another order.
            case coded
            case damaged
        }
        var range: Range<Int>
        var kind: Kind
    }

    /// - Returns: nil where the stamps show no such habit, or leave the slightest doubt.
    static func stamps(_ pictures: [StampRule.Picture], points: [Int]) -> PictureStamps? {
        let decodes = pictures.compactMap(\.decode)
        guard decodes.count == pictures.count, StampRule.ascends(decodes.lazy.map { $0 }) else { return nil }
        let groups = groups(pictures, points)
        let coded = groups.filter { $0.kind == .coded }
        let wrong = coded.reduce(0) { $0 + StampRule.contradictions(pictures, $1.range) }
        guard wrong >= StampRule.leastContradictions else { return nil }
        let sound = groups.filter { $0.kind == .sound }
        guard !sound.isEmpty else {
            // All offsets were lost: stamps of both kinds are one and the same.
            guard pictures.allSatisfy({ $0.presentation == $0.decode }) else { return nil }
            return whole(decodes)
        }
        for delay in 1...longestDelay where fits(pictures, sound, { place(decodes, $0, delay: delay) }) {
            return .decode(stretches(decodes, delay: delay))
        }
        guard let opening = sound.first?.range.lowerBound, let shown = pictures[opening].presentation else {
            return nil
        }
        let lead = shown &- decodes[opening]
        if fits(pictures, sound, { decodes[$0] &+ lead }) { return .decode([PictureStamps.Stretch(shift: lead)]) }
        guard !groups.contains(where: { $0.kind == .damaged }) else { return nil }
        return mixed(pictures, groups, decodes, lead)
    }

    // MARK: - Private

    private static func groups(_ pictures: [StampRule.Picture], _ points: [Int]) -> [Group] {
        let begins = points.filter { pictures.indices.contains($0) }
        return begins.enumerated().map { number, begin in
            let range = begin..<max(begin + 1, number + 1 < begins.count ? begins[number + 1] : pictures.count)
            let isReordered = StampRule.isReordered(pictures[range])
            let wrong = StampRule.contradictions(pictures, range)
            let isAscending = StampRule.ascends(pictures[range].lazy.map(\.presentation))
            let kind: Group.Kind =
                isAscending ? (wrong > 0 ? .coded : .plain) : (wrong == 0 && isReordered ? .sound : .damaged)
            return Group(range: range, kind: kind)
        }
    }

    /// An edit that trims what the delay adds puts the first pictures before 0; without one, nothing tells the delay, and
    /// the first picture is shown when it is decoded.
    private static func whole(_ decodes: [Int64]) -> PictureStamps {
        let delay = decodes.prefix(longestDelay + 1).count { $0 < 0 }
        guard delay > 0, delay <= longestDelay, delay < decodes.count, decodes[delay] == 0 else { return .coded }
        return .decode(stretches(decodes, delay: delay))
    }

    /// The time of a place: the decode time of the picture `delay` places later; the last steps stand in for those that
    /// would be decoded behind the end.
    private static func place(_ decodes: [Int64], _ number: Int, delay: Int) -> Int64 {
        let last = decodes.count - 1
        guard number + delay > last, last > 0 else { return decodes[min(number + delay, last)] }
        return decodes[last] &+ (decodes[last] &- decodes[last - 1]) &* Int64(number + delay - last)
    }

    /// Whether the times of the places of groups with offsets are the times of their pictures.
    private static func fits(
        _ pictures: [StampRule.Picture], _ groups: [Group], _ place: (Int) -> Int64
    ) -> Bool {
        groups.allSatisfy { group in
            let shown = pictures[group.range].compactMap(\.presentation).sorted()
            return shown.count == group.range.count && zip(shown, group.range).allSatisfy { $0 == place($1) }
        }
    }

    private static func stretches(_ decodes: [Int64], delay: Int) -> [PictureStamps.Stretch] {
        var stretches: [PictureStamps.Stretch] = []
        for (number, decode) in decodes.enumerated() {
            let shift = place(decodes, number, delay: delay) &- decode
            guard stretches.last?.shift != shift else { continue }
            stretches.append(PictureStamps.Stretch(from: stretches.isEmpty ? .min : decode, shift: shift))
            guard stretches.count <= stretchLimit else {
                return [PictureStamps.Stretch(shift: place(decodes, 0, delay: delay) &- decodes[0])]
            }
        }
        return stretches
    }

    /// Groups with offsets, and those that do not show whether they have any, keep their times.
    private static func mixed(
        _ pictures: [StampRule.Picture], _ groups: [Group], _ decodes: [Int64], _ lead: Int64
    ) -> PictureStamps? {
        var stretches = [PictureStamps.Stretch(shift: nil)]
        for group in groups {
            let opening = group.range.lowerBound
            let isZero = pictures[opening].presentation == decodes[opening]
            let shift = group.kind == .coded || (group.kind == .plain && isZero && lead != 0) ? lead : nil
            guard stretches.last?.shift != shift else { continue }
            stretches.append(PictureStamps.Stretch(from: decodes[opening], shift: shift))
        }
        return stretches.count <= stretchLimit ? .decode(stretches) : nil
    }
}
