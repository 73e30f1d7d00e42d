/// Number of a stream within its source, as the container lists it, from 0.
public struct StreamID: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let index: Int
    public init(_ index: Int) { self.index = index }
    public static func < (left: StreamID, right: StreamID) -> Bool { left.index < right.index }
    public var description: String { "#\(index)" }
}

/// What a stream carries.
public enum MediaType: String, Sendable, Hashable, CaseIterable {
    case video, audio, subtitle, data
    /// A font, a cover picture or another file carried beside the media; it has no timeline.
    case attachment
}

/// Name of a coding format, as FFmpeg's descriptors write it: `h264`, `aac`, `hdmv_pgs_subtitle`.
public struct CodecName: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public init(stringLiteral value: String) { rawValue = value }
    public var description: String { rawValue }
}
