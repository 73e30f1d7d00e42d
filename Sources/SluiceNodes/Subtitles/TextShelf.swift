package import SluiceBitstream

/// The cues of one track that were read, by start and place in the file, so that their order does not depend on when
/// they were read. Pure.
package struct TextShelf: Sendable {
    private struct Entry: Sendable {
        var cue: TextCue
        var position: Int64
    }

    private var entries: [Entry] = []
    private(set) package var bytes = 0
    /// Cues for which there was no room.
    private(set) package var dropped = 0

    /// Bytes of one track.
    package static let limit = 32 << 20

    package init() {}

    package var count: Int { entries.count }

    /// - Parameter position: offset in the file; the same cue at the same place counts once.
    package mutating func insert(_ cue: TextCue, position: Int64) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            let entry = entries[middle]
            if (entry.cue.start, entry.position) < (cue.start, position) { low = middle + 1 } else { high = middle }
        }
        var place = low
        while place < entries.count, entries[place].cue.start == cue.start, entries[place].position == position {
            if entries[place].cue == cue { return }
            place += 1
        }
        guard bytes + cue.byteCost <= Self.limit, entries.count < TextLimits.cues else {
            dropped += 1
            return
        }
        bytes += cue.byteCost
        entries.insert(Entry(cue: cue, position: position), at: place)
    }

    /// Cues that are shown within a stretch and begin no sooner than `floor`; milliseconds.
    package func cues(in range: Range<Int64>, from floor: Int64) -> [TextCue] {
        TextTimeline.cues(entries.lazy.filter { $0.cue.start >= floor }.map(\.cue), in: range)
    }

    /// All cues, with their ends.
    package var all: [TextCue] { TextTimeline.cues(entries.map(\.cue), in: Int64.min..<Int64.max) }
}
