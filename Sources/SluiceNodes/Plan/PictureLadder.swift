import SluiceBitstream
public import SluiceCore

/// Times of pictures that follow each other in equal steps, from the order that they declare and from the places of the
/// random access points.
///
/// A picture is placed from its group's random access point alone, so that any producer gets the same time.
///
/// - Note: behaviours RP-07, RP-09, RP-10.
public struct PictureLadder: Sendable, Hashable {
    /// A random access point.
    public struct Rung: Sendable, Hashable {
        /// What the container stamps it with, in source ticks.
        public var stamp: Int64
        /// When it is shown, in source ticks.
        public var place: Int64

        public init(stamp: Int64, place: Int64) {
            self.stamp = stamp
            self.place = place
        }
    }

    /// Exact distance of two pictures.
    public var period: Timebase
    /// What the picture order count grows by from one picture to the next; at least 1.
    public var unit: Int32
    /// All random access points, ascending by stamp.
    public var rungs: [Rung]

    public init(period: Timebase, unit: Int32, rungs: [Rung]) {
        self.period = period
        self.unit = max(1, unit)
        self.rungs = rungs
    }

    /// The place of the random access point with this very stamp.
    func rung(_ stamp: Int64) -> Int64? {
        var (low, high) = (0, rungs.count)
        while low < high {
            let middle = (low + high) / 2
            if rungs[middle].stamp < stamp { low = middle + 1 } else { high = middle }
        }
        return low < rungs.count && rungs[low].stamp == stamp ? rungs[low].place : nil
    }

    /// The place of a picture that counts `distance` more than a random access point at `place`.
    func place(_ place: Int64, distance: Int32, _ timebase: Timebase) -> Int64 {
        place &+ (Int64(distance) / Int64(unit)).rescaled(from: period, to: timebase)
    }
}

/// Places the pictures of one run on a ladder, in coding order.
struct LadderWalk {
    let ladder: PictureLadder
    let timebase: Timebase
    private var base: (place: Int64, order: PictureOrder)?

    init(_ ladder: PictureLadder, _ timebase: Timebase) {
        self.ladder = ladder
        self.timebase = timebase
    }

    /// Source ticks; nil where the picture does not say its order, or no random access point came before it.
    mutating func place(_ stamp: Int64?, _ order: PictureOrder?) -> Int64? {
        guard let stamp, let order else { return nil }
        if let place = ladder.rung(stamp) { base = (place, order) }
        guard let base, base.order.sequence == order.sequence else { return nil }
        return ladder.place(base.place, distance: order.count &- base.order.count, timebase)
    }
}
