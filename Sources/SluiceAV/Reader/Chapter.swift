public import SluiceCore

/// A named part of a title.
public struct Chapter: Sendable, Hashable {
    /// As the container names it, or `Chapter N`.
    public var title: String
    /// On the container's own timeline.
    public var start: Timestamp
    /// To the next chapter; for the last, to its declared end or that of the container.
    public var duration: Duration

    public init(title: String, start: Timestamp, duration: Duration) {
        self.title = title
        self.start = start
        self.duration = duration
    }

    /// A chapter as a container lists it.
    struct Declared: Sendable {
        var title: String?
        var start: Timestamp
        var end: Timestamp?
    }

    /// Sorts, names and closes chapters. Declared ends often equal the start, so each runs to the next one's start.
    static func normalized(_ declared: [Declared], containerEnd: Timestamp?) -> [Chapter] {
        let sorted = declared.enumerated().sorted {
            ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
        }.map(\.element)
        return sorted.enumerated().map { index, chapter in
            let start = chapter.start.nanoseconds
            let ends: [Timestamp?] =
                index + 1 < sorted.count ? [sorted[index + 1].start] : [chapter.end, containerEnd]
            let end = ends.compactMap { $0?.nanoseconds }.first { $0 > start } ?? start
            let title = chapter.title.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
            return Chapter(
                title: title ?? "Chapter \(index + 1)", start: chapter.start,
                duration: .nanoseconds(end.subtractingReportingOverflow(start).partialValue))
        }
    }
}
