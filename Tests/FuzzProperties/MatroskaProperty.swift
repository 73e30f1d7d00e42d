import SluiceBitstream

/// Blocks lie one behind the other inside the source, and are the same however much of it is shown at a time.
enum MatroskaProperty {
    static func violation(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { source in
            let half = source.count / 2
            _ = MatroskaHeader(
                info: UnsafeRawBufferPointer(rebasing: source[..<half]),
                tracks: UnsafeRawBufferPointer(rebasing: source[half...]))
            for lacing in [MatroskaLacing.none, .xiph, .fixed, .ebml] {
                if let broken = violation(lacing.frames(source) ?? [], inside: source.count) {
                    return "\(lacing): \(broken)"
                }
            }
            let whole = steps(source, slack: source.count)
            if let broken = whole.broken { return broken }
            let pieces = steps(source, slack: 0)
            if let broken = pieces.broken { return broken }
            return whole.steps == pieces.steps ? nil : "\(whole.steps.count) steps, \(pieces.steps.count) in pieces"
        }
    }

    private static func violation(_ frames: [Range<Int>], inside count: Int) -> String? {
        var end = 0
        for frame in frames {
            if frame.isEmpty || frame.lowerBound < end || frame.upperBound > count { return "a frame at \(frame)" }
            end = frame.upperBound
        }
        return frames.count > 256 ? "\(frames.count) frames" : nil
    }

    /// - Parameter slack: bytes that are shown beyond those that were asked for.
    private static func steps(
        _ source: UnsafeRawBufferPointer, slack: Int
    ) -> (steps: [MatroskaClusterWalk.Step], broken: String?) {
        let size = Int64(source.count)
        var walk = MatroskaClusterWalk(position: 0, end: size, numbers: [1, 2, 3], isWanted: [true, false, true])
        var steps: [MatroskaClusterWalk.Step] = []
        var window = 0..<0
        var asked = (position: Int64(-1), count: 0)
        var end: Int64 = 0
        while true {
            let part = UnsafeRawBufferPointer(rebasing: source[window])
            let step = walk.next(part, at: Int64(window.lowerBound))
            switch step {
            case .need(let count):
                guard count > 0, Int64(count) <= size - walk.position else { return (steps, "needs \(count) bytes") }
                // Twice the same would go on for ever.
                guard asked != (walk.position, count) else { return (steps, "needs \(count) bytes again") }
                asked = (walk.position, count)
                let start = Int(walk.position)
                window = start..<min(source.count, start + count + slack)
            case .block(let block):
                guard !block.payload.isEmpty, block.position >= end, block.position < block.payload.lowerBound,
                    block.payload.upperBound <= size, block.track != 1
                else { return (steps, "a block at \(block.position), frames at \(block.payload)") }
                end = block.payload.upperBound
                steps.append(step)
            case .end: return (steps + [step], nil)
            // Why may depend on what is shown behind an element's parent.
            case .foreign: return (steps + [.foreign("")], nil)
            }
        }
    }
}
