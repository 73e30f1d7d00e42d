/// "Did you mean": the nearest known name to a mistyped one.
public enum Suggestion {
    /// The candidate nearest to `name`, if it is within a third of its length (at least 1, at most 3) edits.
    ///
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

    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let substitution = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, min(row[j], diagonal) + 1)
            }
        }
        return row[b.count]
    }
}
