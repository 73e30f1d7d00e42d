/// "Did you mean": the nearest known name to a mistyped one.
public enum Suggestion {
    /// The candidate nearest to `name`, if it is within a third of its length (at least 1, at most 3) edits.
    ///
    /// An edit is a letter too many, missing, wrong, or swapped with its neighbour.
    /// Names longer than 64 characters get no suggestion, which bounds the work.
    public static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().utf8)
        guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
        let allowed = min(3, max(1, wanted.count / 3))
        var best: (distance: Int, name: String)?
        for candidate in candidates where candidate.utf8.count <= 64 {
            let found = distance(wanted, Array(candidate.lowercased().utf8))
            guard found <= allowed else { continue }
            if let known = best, (known.distance, known.name) <= (found, candidate) { continue }
            best = (found, candidate)
        }
        return best?.name
    }

    /// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, one edit each.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var row = [i + 1]
            row.reserveCapacity(b.count + 1)
            for (j, right) in b.enumerated() {
                var best = min(last[j] + (left == right ? 0 : 1), min(row[j], last[j + 1]) + 1)
                if i > 0, j > 0, left == b[j - 1], a[i - 1] == right { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}
