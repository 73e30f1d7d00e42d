public import SluiceCore

/// Where the times of a title's pictures come from.
public enum PictureStamps: Sendable, Hashable {
    /// The container's presentation times.
    case container
    /// The container's presentation times ascend in coding order although the pictures are shown in another: they are
    /// places, and the pictures' own order tells which picture takes which.
    case coded
    /// The same with the container's decode times, moved by source ticks.
    case decode(shift: Int64)
    /// The container has no times: pictures are counted from the first packet.
    case counted(period: Timebase)

    /// Whether stamps are places in coding order.
    public var arePlaces: Bool { self != .container }

    /// Formats of one bare picture stream without any times.
    static func isCounted(_ formatName: String) -> Bool { ["h264", "hevc", "obu", "av1"].contains(formatName) }

    /// What pictures are taken to last where neither the container nor the parameter sets say it.
    static let defaultPeriod = Timebase(hertz: 25)
}
