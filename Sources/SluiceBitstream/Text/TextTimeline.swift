/// What of a track's cues stands in one segment. Pure.
package enum TextTimeline {
    /// The cues that are shown within a stretch of time, with their ends; those without one are shown until the next one
    /// begins, for ``TextLimits/openEnd`` at most.
    ///
    /// - Parameters:
    ///   - cues: in the order of their starts.
    ///   - range: milliseconds.
    package static func cues(_ cues: [TextCue], in range: Range<Int64>) -> [TextCue] {
        var found: [TextCue] = []
        for (place, cue) in cues.enumerated() {
            if cue.start >= range.upperBound { break }
            let end = cue.end ?? openEnd(place, cues)
            guard end > cue.start, end > range.lowerBound else { continue }
            var cue = cue
            cue.end = end
            found.append(cue)
        }
        return found
    }

    private static func openEnd(_ place: Int, _ cues: [TextCue]) -> Int64 {
        let start = cues[place].start
        let next = cues[(place + 1)...].first { $0.start > start }?.start
        return min(start &+ TextLimits.openEnd, next ?? .max)
    }
}
