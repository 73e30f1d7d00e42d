/// The playlist that lists variants and renditions.
///
/// - Note: RFC 8216 §4.3.4.
public struct MultivariantPlaylist: Sendable, Hashable {
    public var version: Int = 7
    public var isIndependent: Bool = false
    public var renditions: [Rendition] = []
    public var variants: [Variant] = []
    public var iFrameVariants: [IFrameVariant] = []

    public init(
        renditions: [Rendition] = [], variants: [Variant] = [], iFrameVariants: [IFrameVariant] = [],
        isIndependent: Bool = false
    ) {
        self.renditions = renditions
        self.variants = variants
        self.iFrameVariants = iFrameVariants
        self.isIndependent = isIndependent
    }

    /// Gives renditions of one type and group names that differ even where case does not count, by appending ` 2`,
    /// ` 3`, … to later ones, and replaces double quotes.
    public mutating func makeNamesUnique() {
        var taken: Set<String> = []
        for index in renditions.indices {
            let rendition = renditions[index]
            let scope = rendition.kind.rawValue + "\n" + rendition.group + "\n"
            let base = PlaylistText.quotable(rendition.name)
            var name = base
            var number = 2
            while !taken.insert(scope + name.lowercased()).inserted {
                name = "\(base) \(number)"
                number += 1
            }
            renditions[index].name = name
        }
    }
}

/// EXT-X-MEDIA.
///
/// - Note: RFC 8216 §4.3.4.1.
public struct Rendition: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case audio = "AUDIO"
        case subtitles = "SUBTITLES"
        case closedCaptions = "CLOSED-CAPTIONS"
        case video = "VIDEO"
    }

    public var kind: Kind
    public var group: String
    public var name: String
    /// BCP 47.
    public var language: String?
    public var isDefault: Bool = false
    public var isAutoselected: Bool = false
    /// Subtitles only.
    public var isForced: Bool = false
    /// Media characteristic tags, such as `public.accessibility.describes-video`.
    public var characteristics: [String] = []
    /// `2`, `6`, `16/JOC`.
    public var channels: String?
    /// `CC1`, `SERVICE1`; closed captions only.
    public var instreamID: String?
    /// nil where the media is in the variant itself.
    public var uri: String?

    public init(kind: Kind, group: String, name: String, uri: String? = nil) {
        self.kind = kind
        self.group = group
        self.name = name
        self.uri = uri
    }
}

/// EXT-X-STREAM-INF and its URI.
///
/// - Note: RFC 8216 §4.3.4.2; VIDEO-RANGE and SUPPLEMENTAL-CODECS: rfc8216bis §4.4.6.2.
public struct Variant: Sendable, Hashable {
    public var uri: String
    /// Bits a second.
    public var bandwidth: Int
    public var averageBandwidth: Int?
    public var codecs: [String] = []
    public var supplementalCodecs: [String] = []
    public var resolution: Resolution?
    /// Pictures a second; printed with three decimals.
    public var frameRate: Double?
    public var videoRange: VideoRange?
    public var hdcpLevel: String?
    public var audioGroup: String?
    public var subtitleGroup: String?
    public var closedCaptions: ClosedCaptions?

    public init(uri: String, bandwidth: Int) {
        self.uri = uri
        self.bandwidth = bandwidth
    }
}

/// EXT-X-I-FRAME-STREAM-INF.
public struct IFrameVariant: Sendable, Hashable {
    public var uri: String
    public var bandwidth: Int
    public var averageBandwidth: Int?
    public var codecs: [String] = []
    public var supplementalCodecs: [String] = []
    public var resolution: Resolution?
    public var videoRange: VideoRange?
    public var hdcpLevel: String?

    public init(uri: String, bandwidth: Int) {
        self.uri = uri
        self.bandwidth = bandwidth
    }
}

/// Width and height in pixels.
public struct Resolution: Sendable, Hashable {
    public var width: Int
    public var height: Int

    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

/// VIDEO-RANGE.
public enum VideoRange: String, Sendable, Hashable, CaseIterable {
    case sdr = "SDR"
    case hlg = "HLG"
    case pq = "PQ"

    /// From the transfer characteristics code point of the video.
    ///
    /// - Note: rfc8216bis §4.4.6.2: 16 is PQ, 18 HLG, all others SDR.
    public init(transfer: Int) {
        self =
            switch transfer {
            case 16: .pq
            case 18: .hlg
            default: .sdr
            }
    }
}

/// CLOSED-CAPTIONS of a variant.
public enum ClosedCaptions: Sendable, Hashable {
    /// A scan found no caption service.
    case noneFound
    case group(String)
}
