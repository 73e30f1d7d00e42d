package import SluiceCore

/// How far around a segment the source is read for its subtitles. Pure; it decides bytes, so it depends on the source
/// alone.
package struct SubtitleReach: Sendable, Hashable {
    /// Milliseconds before a segment in which cues that reach into it are looked for; nil: from the title's start.
    package var carry: Int64?
    /// Stream by whose packets progress is told; nil where those of the subtitles do.
    package var pacing: StreamID?

    /// Cues begin this much later in the file than the packets around them, at most; milliseconds.
    package static let slack: Int64 = 2_000
    /// Milliseconds read ahead of what was asked for, where not everything is.
    package static let ahead: Int64 = 60_000
    /// A cue that began this long before a segment is missing in it, where not everything is read.
    package static let usualCarry: Int64 = 60_000
    /// Bytes of a local file up to which all of it is read.
    package static let wholeBytes: Int64 = 2 << 30

    /// - Parameter size: bytes of a local file; nil for remote sources.
    package init(_ facts: TitleFacts, size: Int64?) {
        let isIndexed = facts.formatName.hasPrefix("mov")
        let isCheap = size.map { isIndexed || $0 <= Self.wholeBytes } ?? false
        // What has several clocks cannot be sought in by time.
        let hasSeams = facts.clocks.values.contains { !$0.epochs.isEmpty }
        carry = isCheap || hasSeams ? nil : Self.usualCarry
        pacing = isIndexed ? nil : facts.audio.first ?? facts.video
    }

    /// What must have been read before a segment can be made.
    package func need(_ segment: Range<Int64>) -> Range<Int64> {
        let start = carry.map { max(0, segment.lowerBound &- $0) } ?? 0
        return min(start, segment.lowerBound)..<(max(segment.upperBound, start) &+ Self.lookahead)
    }

    /// Cues without an end last until the next one, which may begin behind the segment.
    private static let lookahead: Int64 = 5_000
}
