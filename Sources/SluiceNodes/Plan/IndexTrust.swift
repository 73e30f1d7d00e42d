import SluiceAV
import SluiceCore

/// Whether a container's index shows all of a title's random access points. Pure.
///
/// - Note: behaviours PL-03, PL-04.
struct IndexTrust {
    let target: Duration

    /// - Throws: `.unsupported` with the witness against the index.
    func check(_ entries: [IndexEntry], _ timebase: Timebase, duration: Duration) throws(NodeFailure) {
        let times = entries.map { Timestamp($0.ticks, timebase).nanoseconds }.sorted()
        guard let first = times.first, let last = times.last, times.count >= 2 else {
            throw distrust("\(times.count) random access points; expected at least 2")
        }
        guard duration > .zero else { throw distrust("the container states no duration") }
        let limit = max(target.nanoseconds * 4, 30_000_000_000)
        let gap = zip(times.dropFirst(), times).reduce(Int64(0)) { max($0, $1.0 &- $1.1) }
        guard gap <= limit else {
            throw distrust("a gap of \(gap / 1_000_000) ms; expected at most \(limit / 1_000_000) ms")
        }
        // An index that a writer never finished ends where the demuxer has read so far.
        let tail = duration.nanoseconds &- (last &- first)
        guard tail <= limit else {
            throw distrust("it ends \(tail / 1_000_000) ms before the end; expected at most \(limit / 1_000_000) ms")
        }
        guard last &- first >= target.nanoseconds else {
            throw distrust("it spans \((last &- first) / 1_000_000) ms, less than one segment")
        }
    }

    private func distrust(_ witness: String) -> NodeFailure {
        NodeFailure(.unsupported, "the container's index cannot be trusted: \(witness)")
    }
}
