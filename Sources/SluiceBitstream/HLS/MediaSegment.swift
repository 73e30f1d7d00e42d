/// One entry of a media playlist.
public struct MediaSegment: Sendable, Hashable {
    /// As written; relative to the playlist.
    public var uri: String
    /// Where the segment starts on the rendition's timeline, exactly.
    ///
    /// EXTINF prints the difference of two rounded starts, so that the printed sum never drifts and a segment keeps
    /// its value when a live window slides.
    public var start: Duration
    /// Length, exactly; not negative.
    public var duration: Duration
    /// The text after the comma of EXTINF.
    public var title: String = ""
    /// Initialization section from here on; nil where it stays as it was.
    public var map: InitializationMap?
    public var byteRange: ByteRange?
    /// Timestamps, tracks or codecs change before this segment.
    public var isDiscontinuity: Bool = false
    /// Wall clock time of the first sample.
    public var programDateTime: ProgramDateTime?
    /// The segment exists in name only.
    public var isGap: Bool = false
    /// Encryption from here on; nil where it stays as it was.
    public var key: EncryptionKey?

    public init(uri: String, start: Duration, duration: Duration) {
        self.uri = uri
        self.start = start
        self.duration = duration
    }

    /// What EXTINF prints, in microseconds.
    public var printedMicroseconds: Int64 {
        let end = Decimal.microseconds(start + duration)
        return max(0, end &- Decimal.microseconds(start))
    }
}

/// EXT-X-MAP.
///
/// - Note: RFC 8216 §4.3.2.5.
public struct InitializationMap: Sendable, Hashable {
    public var uri: String
    public var byteRange: ByteRange?

    public init(uri: String, byteRange: ByteRange? = nil) {
        self.uri = uri
        self.byteRange = byteRange
    }
}

/// Part of a resource.
///
/// - Note: RFC 8216 §4.3.2.2.
public struct ByteRange: Sendable, Hashable {
    public var length: Int64
    /// nil: directly after the previous range of the same resource.
    public var offset: Int64?

    public init(length: Int64, offset: Int64? = nil) {
        self.length = length
        self.offset = offset
    }
}

/// EXT-X-KEY as far as a reader has to know it; Sluice itself never encrypts.
///
/// - Note: RFC 8216 §4.3.2.4.
public struct EncryptionKey: Sendable, Hashable {
    /// `NONE`, `AES-128`, `SAMPLE-AES` or what else the playlist says.
    public var method: String
    public var uri: String?
    /// Hexadecimal, as written.
    public var initializationVector: String?
    public var format: String?

    public init(method: String, uri: String? = nil, initializationVector: String? = nil, format: String? = nil) {
        self.method = method
        self.uri = uri
        self.initializationVector = initializationVector
        self.format = format
    }
}
