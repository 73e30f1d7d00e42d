import SluiceBitstream

/// Subtitle texts: a file of 10,000 cues read, and its cues written as segments. Figures are an item a cue.
let textBenchmarks: [NodeBenchmark] = [
    NodeBenchmark(name: "subtitles/subrip-file", items: cueCount, bytes: subRipFile.count) {
        try check(SubRip.cues(subRipFile).count, cueCount)
    },
    NodeBenchmark(name: "subtitles/webvtt-segments", items: cueCount) {
        var bytes = 0
        for start in stride(from: Int64(0), to: Int64(cueCount) * 2_000, by: 4_000) {
            bytes += WebVTTWriter().text(TextTimeline.cues(benchmarkCues, in: start..<(start + 4_000))).utf8.count
        }
        try check(bytes > cueCount ? cueCount : bytes, cueCount)
    },
]

private func check(_ got: Int, _ expected: Int) throws {
    guard got == expected else { throw WrongResult(expected: expected, got: got) }
}

private let cueCount = 10_000
private let benchmarkCues = SubRip.cues(subRipFile)
private let subRipFile: [UInt8] = {
    var text = ""
    for number in 0..<cueCount {
        let start = WebVTTWriter.time(Int64(number) * 2_000).replacing(".", with: ",")
        let end = WebVTTWriter.time(Int64(number) * 2_000 + 1_500).replacing(".", with: ",")
        text += "\(number + 1)\n\(start) --> \(end)\n<i>Two lines</i> of what is said & meant,\nnumber \(number)\n\n"
    }
    return Array(text.utf8)
}()
