/// The playlist of one rendition.
///
/// - Note: RFC 8216 §4.3.2, §4.3.3.
public struct MediaPlaylist: Sendable, Hashable {
    /// What may change between two readings.
    public enum Kind: Sendable, Hashable {
        /// Nothing, ever.
        case vod
        /// Segments are added at the end.
        case event
        /// Segments are added at the end and removed at the front.
        case live
    }

    public var kind: Kind
    public var version: Int = 7
    /// Seconds; at least every EXTINF rounded up. Must not change while the playlist is served.
    public var targetDuration: Int
    /// Number of the first listed segment.
    public var mediaSequence: Int = 0
    /// Discontinuities before the first listed segment; printed for live playlists and where not 0.
    public var discontinuitySequence: Int = 0
    /// Every segment can be decoded without those before it.
    public var isIndependent: Bool = false
    /// Segments hold one IRAP picture each.
    public var isIFramesOnly: Bool = false
    /// No segment will be added.
    public var isEnded: Bool
    public var serverControl: ServerControl?
    /// Where players should start, in seconds; negative values count from the end.
    public var startOffset: Double?
    public var segments: [MediaSegment]

    /// - Parameter targetDuration: nil takes ``requiredTargetDuration(_:)``.
    public init(kind: Kind, segments: [MediaSegment], isEnded: Bool? = nil, targetDuration: Int? = nil) {
        self.kind = kind
        self.segments = segments
        self.isEnded = isEnded ?? (kind == .vod)
        self.targetDuration = targetDuration ?? Self.requiredTargetDuration(segments)
    }

    /// Seconds of the longest printed EXTINF, rounded up; at least 1.
    public static func requiredTargetDuration(_ segments: [MediaSegment]) -> Int {
        let longest = segments.reduce(Int64(0)) { max($0, $1.printedMicroseconds) }
        return max(1, Int((longest &+ 999_999) / 1_000_000))
    }

    /// EXT-X-SERVER-CONTROL.
    ///
    /// - Note: rfc8216bis §4.4.3.8.
    public struct ServerControl: Sendable, Hashable {
        public var canBlockReload: Bool
        /// Seconds from the end that players should keep.
        public var holdBack: Double?
        /// Seconds; older segments may be left out of delta updates.
        public var canSkipUntil: Double?

        public init(canBlockReload: Bool = false, holdBack: Double? = nil, canSkipUntil: Double? = nil) {
            self.canBlockReload = canBlockReload
            self.holdBack = holdBack
            self.canSkipUntil = canSkipUntil
        }
    }
}
