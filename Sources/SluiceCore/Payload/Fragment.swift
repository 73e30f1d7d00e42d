/// A finished piece of a rendition: an initialization section or one media segment.
public struct Fragment: MediaPayload {
    public enum Role: Sendable, Hashable {
        /// `init-<version>.mp4`.
        case initialization(version: Int)
        /// `seg-<index>.m4s`.
        case media(index: Int)
    }

    public static var kind: PayloadKind { .fragment }
    /// Name of the playlist it belongs to: `video`, `audio-1`.
    public var rendition: String
    public var role: Role
    /// Presentation start on the output timeline; nil for initialization sections.
    public var start: Timestamp?
    /// Media time covered; nil for initialization sections.
    public var duration: Duration?
    /// The file's bytes, in order.
    public var chunks: [ByteChunk]

    public init(rendition: String, role: Role, start: Timestamp?, duration: Duration?, chunks: [ByteChunk]) {
        self.rendition = rendition
        self.role = role
        self.start = start
        self.duration = duration
        self.chunks = chunks
    }

    public var byteCost: Int { chunks.byteTotal }
    public var timelinePosition: Int64? { start?.nanoseconds }
}
