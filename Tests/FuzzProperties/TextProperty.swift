import SluiceBitstream

/// What is read from any bytes as subtitles can be written, and reads again as the same cues; no text ends its cue early.
enum TextProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        let text = TextDecoding.utf8(bytes)
        let script = ASSScript(header: text)
        let lists = [
            SubRip.cues(text), WebVTT.cues(text), ASSScript.cues(text),
            [
                SubRip.cue(bytes, start: 0, end: 1_000), script.cue(event: bytes, start: 0, end: 1_000),
                WebVTT.cue(bytes, settings: bytes, start: 0, end: 1_000), MovText.cue(bytes, start: 0, end: 1_000),
            ].compactMap(\.self),
        ]
        for list in lists {
            if let violation = violation(list) { return violation }
        }
        return nil
    }

    private static func violation(_ cues: [TextCue]) -> String? {
        let shown = TextTimeline.cues(cues.sorted { $0.start < $1.start }, in: .min..<Int64.max)
        for style in WebVTTWriter.Style.allCases {
            let written = WebVTTWriter(style: style).text(shown)
            let again = WebVTT.cues(Array(written.utf8))
            var seen: Set<TextCue> = []
            let expected = shown.filter { seen.insert($0).inserted && ($0.end ?? 0) > max(0, $0.start) }
            guard again.count == expected.count else {
                return "\(expected.count) cues were written, \(again.count) read:\n\(written)"
            }
            let texts = zip(again, expected).allSatisfy { $0.text.plain == $1.text.plain && $0.end == $1.end }
            guard texts else { return "what was written reads as other cues:\n\(written)" }
            let arrows =
                written.utf8.count > 1 << 20
                ? expected.count : written.split(separator: "\n").count { $0.contains("-->") }
            guard arrows == expected.count else { return "a text holds an arrow:\n\(written)" }
        }
        return nil
    }
}
