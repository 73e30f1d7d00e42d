import SluiceCore

/// Which frames of an encoder belong to each segment of a plan. Pure.
///
/// Frames stand on one grid that is counted from the title's origin: frame n begins at n times the length of a frame. A
/// segment has those that begin within it, and there is always one next to another: what the source does not have is
/// silence. The title's first segment begins with frame 0, the last one ends with the frame that holds the plan's end.
struct BridgeTimeline: Sendable, Hashable {
    /// First frame of each segment; the last element is the end of the last one.
    let frames: [Int64]
    let frameSize: Int64
    let timebase: Timebase

    init(_ sound: EncodedSound, _ plan: TitlePlan) {
        let size = Int64(max(1, sound.frameSize))
        frameSize = size
        timebase = sound.timebase
        let clock = timebase
        func frame(_ ticks: Int64) -> Int64 {
            let samples = ticks.rescaled(from: plan.timebase, to: clock, rounding: .up)
            return max(0, samples / size + (samples % size > 0 ? 1 : 0))
        }
        var list: [Int64] = []
        list.reserveCapacity(plan.segments.count + 1)
        for (index, segment) in plan.segments.enumerated() {
            list.append(index == 0 ? 0 : max(list[index - 1], frame(segment.start)))
        }
        // A title ends with a frame, however short its last segment is.
        list.append(max((list.last ?? 0) + 1, frame(plan.end)))
        frames = list
    }

    var count: Int { frames.count - 1 }

    /// First sample of each segment; the last element is the end of the last one.
    var boundaries: [Int64] { frames.map { $0 &* frameSize } }
    var counts: [Int] { zip(frames.dropFirst(), frames).map { Int($0 - $1) } }

    func frames(of index: Int) -> Range<Int64> { frames[index]..<max(frames[index], frames[index + 1]) }
}
