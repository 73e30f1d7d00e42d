public import SluiceNodes

/// What packaging a title made.
public struct PackageReport: Sendable {
    public var title: PlannedTitle
    public var shape: Title.Shape
    /// Names of the playlists, the multivariant one first.
    public var playlists: [String]
    /// Media segments and initialization sections.
    public var files: Int
    /// Bytes of all media files.
    public var bytes: Int64
}
