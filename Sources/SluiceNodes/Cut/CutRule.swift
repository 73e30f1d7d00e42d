import SluiceCore

/// Assigns the packets of one stream to the plan's segments. Pure; times are ticks of the stream's output clock.
struct CutRule {
    enum Decision: Equatable {
        /// Before the start of what this producer makes, or not decodable from its start.
        case drop
        case keep
        /// The packet is the first of segment `index`.
        case open(index: Int)
        /// The picture that must open segment `index` did not come.
        case missed(index: Int)
    }

    /// First time of each segment on this stream's clock, rounded up, so that a packet belongs to the last start that
    /// is not after it.
    private let starts: [Int64]
    /// Pictures open a segment only with a random access point that the plan names; sound is cut by its start time.
    private let isGated: Bool
    private let first: Int
    private var current: Int?

    /// - Parameter first: index of the segment that production begins with.
    init(starts: [Int64], isGated: Bool, first: Int) {
        self.starts = starts
        self.isGated = isGated
        self.first = first
    }

    /// The segment whose opening picture must come next; nil for sound, and after the last one was opened.
    var due: Int? {
        let next = current.map { $0 + 1 } ?? first
        return isGated && starts.indices.contains(next) ? next : nil
    }

    mutating func decide(time: Int64, isRandomAccess: Bool) -> Decision {
        isGated ? decidePicture(time, isRandomAccess) : decideSound(time)
    }

    /// A picture that is no random access point, or one that the plan does not name, continues its segment: leading
    /// pictures stay with the picture they lead to although they are presented before it.
    private mutating func decidePicture(_ time: Int64, _ isRandomAccess: Bool) -> Decision {
        if isRandomAccess, let due {
            if starts[due] == time {
                current = due
                return .open(index: due)
            }
            // Random access points are presented in the order in which they are decoded.
            if time > starts[due] { return .missed(index: due) }
        }
        return current == nil ? .drop : .keep
    }

    private mutating func decideSound(_ time: Int64) -> Decision {
        let index = lastIndex(notAfter: time)
        guard index >= first else { return .drop }
        // Time that runs backwards never reopens a segment.
        guard index > current ?? -1 else { return .keep }
        current = index
        return .open(index: index)
    }

    /// 0 also for times before the first start: what sounds before the first picture belongs to segment 0.
    private func lastIndex(notAfter time: Int64) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= time { low = middle + 1 } else { high = middle }
        }
        return max(0, low - 1)
    }
}
