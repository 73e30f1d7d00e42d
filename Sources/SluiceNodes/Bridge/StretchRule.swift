/// Tells where a run of decoded samples lies from the stamps of its frames, which containers round. Pure; times and
/// lengths are samples.
///
/// Stamps of frames that follow each other lie around the truth, half a tick of the container to either side: the middle
/// of what they say is the same whichever of them are looked at.
struct StretchRule {
    enum Verdict: Equatable {
        /// Kept back: not enough is known yet.
        case wait
        /// Follows the samples before it.
        case follow
        /// The frames that waited begin at `at`; this one is the last of them.
        case settle(at: Int64)
        /// Something else begins: what waited, if anything did, begins at `at`, and this frame waits.
        case restart(at: Int64?)
    }

    /// Frames whose stamps are looked at.
    static let window = 16
    /// Frames that must say the same before a stamp within reach of the last one is believed.
    static let patience = 8

    /// Samples of a second.
    let rate: Int64
    private var least: Int64?
    private var most: Int64?
    private var waiting = 0
    /// Samples of the frames that wait.
    private var held: Int64 = 0
    /// Where the next frame is expected, once that is settled.
    private var next: Int64?
    private var strays = 0
    /// Where the stream's first sample lies: from there on frames follow each other.
    private let phase: Int64?
    /// Samples of which the frames that wait hold a whole multiple each; 0 while none waits.
    private var unit: Int64
    private let share: Int64

    /// - Parameters:
    ///   - phase: where the stream's first sample lies; nil where nothing says it.
    ///   - share: samples of which every frame of the stream holds a whole multiple; 0 where all frames are of one size.
    init(rate: Int, phase: Int64? = nil, share: Int = 0) {
        self.rate = Int64(max(1, rate))
        self.share = Int64(max(0, share))
        unit = self.share
        self.phase = phase
    }

    /// - Parameters:
    ///   - stamp: of the frame's first sample; nil where nothing says it.
    mutating func add(stamp: Int64?, count: Int) -> Verdict {
        if let expected = next {
            guard let stamp, isAway(stamp &- expected, count) else {
                if stamp != nil { strays = 0 }
                next = expected &+ Int64(count)
                return .follow
            }
            strays += 1
            if strays < Self.patience, (stamp &- expected).magnitude <= rate.magnitude / 10 {
                next = expected &+ Int64(count)
                return .follow
            }
            begin(stamp, count)
            return .restart(at: nil)
        }
        if let stamp {
            if let place, isAway(stamp &- held &- place, count) {
                begin(stamp, count)
                return .restart(at: place)
            }
            note(stamp &- held)
        }
        waiting += 1
        unit = Self.divisor(unit, Int64(count))
        held &+= Int64(count)
        guard waiting >= Self.window, let place else { return .wait }
        next = place &+ held
        return .settle(at: place)
    }

    /// Nothing follows: where what waits begins; nil where nothing waits, or nothing says it.
    mutating func finish() -> Int64? {
        guard next == nil, waiting > 0, let place else { return nil }
        next = place &+ held
        return place
    }

    /// The middle of what the stamps say; where they are rounded, the place nearest to it at which a frame can begin.
    private var place: Int64? {
        guard let least, let most else { return nil }
        // Halves go down on either side of zero.
        let middle = (least &+ most) >> 1
        guard let phase, unit > 1, most &- least > 1 else { return middle }
        let off = (((middle &- phase) % unit) &+ unit) % unit
        let exact = off &* 2 > unit ? middle &+ unit &- off : middle &- off
        // A hole of any length moves all that follows.
        return abs(exact &- middle) <= rate / 2_000 + 1 ? exact : middle
    }

    private mutating func note(_ start: Int64) {
        least = min(least ?? start, start)
        most = max(most ?? start, start)
    }

    private mutating func begin(_ stamp: Int64, _ count: Int) {
        (least, most, next, strays) = (stamp, stamp, nil, 0)
        (waiting, held, unit) = (1, Int64(count), Self.divisor(share, Int64(count)))
    }

    static func divisor(_ left: Int64, _ right: Int64) -> Int64 {
        var (a, b) = (left, right)
        while b != 0 { (a, b) = (b, a % b) }
        return abs(a)
    }

    /// Half a frame, but 2 ms at least and 20 ms at most.
    private func isAway(_ distance: Int64, _ count: Int) -> Bool {
        let tolerance = max(rate / 500, min(Int64(count) / 2, rate / 50))
        return distance.magnitude > tolerance.magnitude
    }
}
