/// All that an initialization section says about one track.
public struct TrackDescription: Sendable, Hashable {
    /// 1 or above, unique within the section.
    public var id: UInt32
    /// Ticks a second of decode times, durations and composition offsets; above 0.
    public var timescale: UInt32
    public var entry: SampleEntry
    /// ISO 639-2/T (three letters) or a BCP 47 tag; nil writes `und`.
    ///
    /// `mdhd` holds three letters only; other tags go to an `elng` box beside it.
    public var language: String?
    /// How the picture is turned for display.
    public var rotation: DisplayRotation = .none
    /// Bit rates for `btrt`; nil leaves the box out.
    public var bitRate: BitRate?
    /// Trims encoder delay at the start; only for titles without video.
    public var edit: TrackEdit?

    public init(id: UInt32, timescale: UInt32, entry: SampleEntry, language: String? = nil) {
        self.id = id
        self.timescale = timescale
        self.entry = entry
        self.language = language
    }

    /// Bits a second, as declared in `btrt` and `esds`.
    public struct BitRate: Sendable, Hashable {
        /// Bytes of the largest elementary stream buffer; 0 where unknown.
        public var bufferSize: UInt32
        public var maximum: UInt32
        public var average: UInt32

        public init(bufferSize: UInt32 = 0, maximum: UInt32, average: UInt32) {
            self.bufferSize = bufferSize
            self.maximum = maximum
            self.average = average
        }
    }
}

/// One entry of an edit list: presentation starts at a point inside the media.
///
/// - Note: ISO/IEC 14496-12 §8.6.6.
public struct TrackEdit: Sendable, Hashable {
    /// Ticks of the track's timescale that are decoded but not presented.
    public var mediaTime: Int64
    /// Presented length in ticks of the track's timescale; 0 means all that follows.
    public var duration: UInt64

    public init(mediaTime: Int64, duration: UInt64 = 0) {
        self.mediaTime = mediaTime
        self.duration = duration
    }
}

/// Clockwise turns of the picture before it is shown.
public enum DisplayRotation: Int, Sendable, Hashable, CaseIterable {
    case none = 0
    case clockwise90 = 90
    case half = 180
    case clockwise270 = 270

    /// The `tkhd` matrix: 16.16 fixed point, the last column 2.30.
    func matrix(width: UInt32, height: UInt32) -> [Int32] {
        let one: Int32 = 0x1_0000
        let unit: Int32 = 0x4000_0000
        let w = Int32(truncatingIfNeeded: width)
        let h = Int32(truncatingIfNeeded: height)
        return switch self {
        case .none: [one, 0, 0, 0, one, 0, 0, 0, unit]
        case .clockwise90: [0, one, 0, -one, 0, 0, h, 0, unit]
        case .half: [-one, 0, 0, 0, -one, 0, w, h, unit]
        case .clockwise270: [0, -one, 0, one, 0, 0, 0, w, unit]
        }
    }
}
