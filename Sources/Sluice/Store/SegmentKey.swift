public import SluiceCore

/// Names a finished file of a title.
public struct SegmentKey: Sendable, Hashable {
    public var rendition: String
    public var role: Fragment.Role

    public init(rendition: String, role: Fragment.Role) {
        self.rendition = rendition
        self.role = role
    }
}
