/// Where the container's own index says an access unit lies.
public struct IndexEntry: Sendable, Hashable {
    /// In ticks of the stream. MP4 counts decode times, Matroska presentation times.
    public var ticks: Int64
    /// Offset in the source of the unit or of the element that holds it.
    public var position: Int64
    /// Bytes; 0 where the index does not say.
    public var size: Int
    public var isKeyframe: Bool

    public init(ticks: Int64, position: Int64, size: Int, isKeyframe: Bool) {
        self.ticks = ticks
        self.position = position
        self.size = size
        self.isKeyframe = isKeyframe
    }
}
