/// Writes SubRip files, with the tags that most players know.
package enum SubRipWriter {
    /// - Parameter cues: in the order of their starts; those without an end behind it are left out.
    package static func text(_ cues: [TextCue]) -> String {
        var result = ""
        var number = 0
        for cue in cues {
            guard let end = cue.end, end > max(0, cue.start) else { continue }
            number += 1
            let place = cue.placement.map { $0.alignment == 2 ? "" : "{\\an\($0.alignment)}" } ?? ""
            result += "\(number)\n\(time(cue.start)) --> \(time(end))\n\(place)\(payload(cue.text))\n\n"
        }
        return result
    }

    private static func time(_ milliseconds: Int64) -> String {
        WebVTTWriter.time(milliseconds).replacing(".", with: ",")
    }

    private static func payload(_ text: CueText) -> String {
        text.runs.map { run in
            // Nothing there can be escaped: an arrow would begin another cue.
            run.tagged(run.text.replacing("-->", with: "->")) { ("font", " color=\"\($0.text)\"") }
        }.joined()
    }
}
