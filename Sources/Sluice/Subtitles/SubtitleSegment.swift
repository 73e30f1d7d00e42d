import SluiceBitstream
import SluiceCore
import SluiceNodes

/// One WebVTT segment of a title: a function of its plan and its cues. Pure.
enum SubtitleSegment {
    static let type = "text/vtt; charset=utf-8"

    /// Milliseconds of a segment: from its start to the next one's. The first begins before everything, the last one ends
    /// behind it.
    static func range(_ plan: TitlePlan, _ index: Int) -> Range<Int64> {
        let segments = plan.segments
        guard segments.indices.contains(index) else { return 0..<0 }
        func milliseconds(_ ticks: Int64) -> Int64 { ticks.rescaled(from: plan.timebase, to: .milliseconds) }
        let start = index == 0 ? min(0, milliseconds(segments[0].start)) : milliseconds(segments[index].start)
        let end = milliseconds(index + 1 < segments.count ? segments[index + 1].start : plan.end)
        return start..<max(start &+ 1, end)
    }

    /// The segment that a time lies in.
    static func index(_ plan: TitlePlan, at milliseconds: Int64) -> Int {
        var (low, high) = (0, plan.segments.count)
        while low < high {
            let middle = (low + high) / 2
            if range(plan, middle).lowerBound <= milliseconds { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }

    static func bytes(_ cues: [TextCue], style: WebVTTWriter.Style) -> [UInt8] {
        Array(WebVTTWriter(style: style).text(cues).utf8)
    }
}
