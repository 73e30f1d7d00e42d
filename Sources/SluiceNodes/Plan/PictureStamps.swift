public import SluiceCore

/// Where the times of a title's pictures come from.
public enum PictureStamps: Sendable, Hashable {
    /// The container's presentation times.
    case container
    /// The container's presentation times ascend in coding order although the pictures are shown in another: they are
    /// places, and the pictures' own order tells which picture takes which.
    case coded
    /// The same with the container's decode times, moved by source ticks; ascending by `from`, never empty.
    case decode([Stretch])
    /// The container's times are places that its writer has pushed: pictures stand on a ladder of equal steps.
    case ladder(PictureLadder)
    /// The container has no times: pictures are counted from the first packet.
    case counted(period: Timebase)

    /// Decode times from one on, and what lies between them and the places.
    public struct Stretch: Sendable, Hashable {
        /// Source ticks.
        public var from: Int64
        /// Source ticks; nil where the container's presentation times hold.
        public var shift: Int64?

        public init(from: Int64 = .min, shift: Int64?) {
            self.from = from
            self.shift = shift
        }
    }

    /// Whether stamps are places in coding order.
    public var arePlaces: Bool {
        switch self {
        case .container, .ladder: false
        case .coded, .decode, .counted: true
        }
    }

    /// One word for reports.
    public var name: String {
        switch self {
        case .container: "container"
        case .coded: "coded"
        case .decode: "decode"
        case .ladder: "ladder"
        case .counted: "counted"
        }
    }

    /// The stretch that holds at a decode time; nil before the first.
    static func stretch(_ stretches: [Stretch], at decode: Int64) -> Stretch? {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if stretches[middle].from <= decode { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? stretches[low - 1] : nil
    }

    /// The place of a picture on the source's clock; nil where the container does not say it.
    static func place(_ stretches: [Stretch], presentation: Int64?, decode: Int64?) -> Int64? {
        guard let decode, let stretch = stretch(stretches, at: decode) else { return nil }
        return stretch.shift.map { decode &+ $0 } ?? presentation
    }

    /// Formats of one bare picture stream without any times.
    static func isCounted(_ formatName: String) -> Bool { ["h264", "hevc", "obu", "av1"].contains(formatName) }

    /// What pictures are taken to last where neither the container nor the parameter sets say it.
    static let defaultPeriod = Timebase(hertz: 25)
}
