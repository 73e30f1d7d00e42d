// doc: rule
import SluiceCore

/// Which keyframes pass: the first of each stream, then one in every `every`. Pure.
struct KeyframeRule {
    let every: Int
    private var seen: [StreamID: Int] = [:]

    init(every: Int) { self.every = every }

    mutating func admits(stream: StreamID, isKeyframe: Bool) -> Bool {
        guard isKeyframe else { return false }
        let count = seen[stream, default: 0]
        seen[stream] = count &+ 1
        return count % every == 0
    }

    mutating func reset() { seen = [:] }
}
// doc end
