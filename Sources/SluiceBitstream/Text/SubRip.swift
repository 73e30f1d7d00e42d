/// SubRip: numbered blocks of times and text.
package enum SubRip {
    /// The text of one cue, as it stands in a block of a file or in a packet.
    package static func cue(_ bytes: some Collection<UInt8>, start: Int64, end: Int64?) -> TextCue? {
        // Some muxers put a terminating zero into the packet.
        let text = String(decoding: bytes.prefix { $0 != 0 }.prefix(TextLimits.cueBytes * 4), as: UTF8.self)
            .replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        let parsed = MarkupText.parse(text, .subRip)
        guard !parsed.text.isEmpty else { return nil }
        return TextCue(start: start, end: end, text: parsed.text, placement: parsed.placement)
    }

    /// The cues of a file in its order.
    ///
    /// Numbers may be missing, blank lines between blocks too: a line of times begins a block wherever it stands. Cues that
    /// end before they begin, and those without text, are left out.
    ///
    /// - Parameter bytes: UTF-8 without a mark; see ``TextDecoding``.
    package static func cues(_ bytes: [UInt8]) -> [TextCue] {
        var cues: [TextCue] = []
        var times: (start: Int64, end: Int64)?
        var lines: [ArraySlice<UInt8>] = []
        var held = 0
        func close(isFollowed: Bool) {
            defer {
                lines.removeAll(keepingCapacity: true)
                held = 0
            }
            guard let times, times.end > times.start else { return }
            // The number of the block that follows is no text, even where no blank line stands before it.
            if isFollowed, let last = lines.last, isNumber(last), lines.count > 1 { lines.removeLast() }
            if let cue = cue(Array(lines.joined(separator: [0x0A])), start: times.start, end: times.end) {
                cues.append(cue)
            }
        }
        for line in TextLines(bytes) {
            if let found = TextTime.range(line) {
                close(isFollowed: true)
                guard cues.count < TextLimits.cues else { return cues }
                times = (found.start, found.end)
            } else if times != nil, held < TextLimits.cueBytes * 4 {
                lines.append(line.prefix(TextLimits.cueBytes * 4))
                held += line.count + 1
            }
        }
        close(isFollowed: false)
        return cues
    }

    private static func isNumber(_ line: ArraySlice<UInt8>) -> Bool {
        let words = TextTime.words(line)
        return words.count == 1 && words[0].count <= 9 && words[0].allSatisfy { (0x30...0x39).contains($0) }
    }
}
