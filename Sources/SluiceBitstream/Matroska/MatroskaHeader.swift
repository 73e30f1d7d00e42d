/// One entry of a Matroska file's list of tracks, as far as the frames of its blocks depend on it.
///
/// - Note: RFC 9559 §5.1.4.1.
public struct MatroskaTrack: Sendable, Hashable {
    /// What blocks call it; not 0.
    public var number: UInt64
    /// 1 pictures, 2 sound, 17 subtitles.
    public var type: UInt64
    public var codecID: String
    /// Nanoseconds of a frame; 0 where it is not said.
    public var defaultDuration: UInt64 = 0
    /// Nanoseconds.
    public var codecDelay: UInt64 = 0
    /// Whether its stamps count in the segment's own ticks, and its frames lie in blocks as they are: no scale of its
    /// own, no compression, no encryption.
    public var isPlain = true
    /// Hertz; nil where it is not said.
    public var samplingFrequency: Double?
}

/// What stands before the clusters of a Matroska file.
public struct MatroskaHeader: Sendable, Hashable {
    /// Nanoseconds of a tick.
    public var timestampScale: UInt64
    public var tracks: [MatroskaTrack]

    /// More tracks than any file has; a list that is longer is refused.
    private static let trackLimit = 256

    /// Reads the payloads of `Info` and `Tracks`.
    ///
    /// - Returns: nil where an element does not lie inside its parent, has no length, or is missing.
    public init?(info: UnsafeRawBufferPointer, tracks: UnsafeRawBufferPointer) {
        guard let facts = Self.children(info, 0..<info.count),
            let entries = Self.children(tracks, 0..<tracks.count)
        else { return nil }
        timestampScale = 1_000_000
        for fact in facts where fact.id == MatroskaID.timestampScale {
            guard let value = EBMLHead.unsigned(info, fact.range), value > 0 else { return nil }
            timestampScale = value
        }
        self.tracks = []
        for entry in entries where entry.id == MatroskaID.trackEntry {
            guard self.tracks.count < Self.trackLimit, let track = Self.track(tracks, entry.range) else { return nil }
            self.tracks.append(track)
        }
        guard !self.tracks.isEmpty, Set(self.tracks.map(\.number)).count == self.tracks.count else { return nil }
    }

    private static func track(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> MatroskaTrack? {
        guard let fields = children(bytes, range) else { return nil }
        var track = MatroskaTrack(number: 0, type: 0, codecID: "")
        for field in fields {
            let number = EBMLHead.unsigned(bytes, field.range)
            switch field.id {
            case MatroskaID.trackNumber: track.number = number ?? 0
            case MatroskaID.trackType: track.type = number ?? 0
            case MatroskaID.codecID:
                // Strings may be padded with zeros.
                track.codecID = String(decoding: bytes[field.range].prefix { $0 != 0 }, as: UTF8.self)
            case MatroskaID.defaultDuration:
                guard let number else { return nil }
                track.defaultDuration = number
            case MatroskaID.codecDelay:
                guard let number else { return nil }
                track.codecDelay = number
            case MatroskaID.trackTimestampScale: track.isPlain = track.isPlain && float(bytes, field.range) == 1
            case MatroskaID.contentEncodings: track.isPlain = false
            case MatroskaID.audio:
                guard let parts = children(bytes, field.range) else { return nil }
                for part in parts where part.id == MatroskaID.samplingFrequency {
                    track.samplingFrequency = float(bytes, part.range)
                }
            default: break
            }
        }
        return track.number > 0 ? track : nil
    }

    /// The elements that fill `range`, which they must.
    private static func children(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) -> [(id: UInt32, range: Range<Int>)]? {
        let inside = UnsafeRawBufferPointer(rebasing: bytes[0..<range.upperBound])
        var found: [(id: UInt32, range: Range<Int>)] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard case .head(let head) = EBMLHead.read(inside, at: offset), let size = head.size,
                size <= Int64(range.upperBound - offset - head.length)
            else { return nil }
            let begin = offset + head.length
            offset = begin + Int(size)
            found.append((head.id, begin..<offset))
        }
        return found
    }

    /// A number of 4 or 8 bytes.
    private static func float(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Double? {
        guard let bits = EBMLHead.unsigned(bytes, range) else { return nil }
        switch range.count {
        case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
        case 8: return Double(bitPattern: bits)
        default: return nil
        }
    }
}
