/// Something a container or a coder says beside the coded bytes: a rotation, a palette, samples to skip.
public struct SideData: Sendable, Hashable {
    /// Which kind it is; unknown kinds carry FFmpeg's description.
    public struct Kind: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(stringLiteral value: String) { rawValue = value }
        public var description: String { rawValue }

        /// New codec configuration that replaces the stream's from this packet on.
        public static let newExtradata: Kind = "new-extradata"
        /// Samples to drop: two little-endian 32-bit counts (start, end) and two reason bytes.
        public static let skipSamples: Kind = "skip-samples"
        public static let palette: Kind = "palette"
        public static let parameterChange: Kind = "parameter-change"
        public static let displayMatrix: Kind = "display-matrix"
        public static let stereo3D: Kind = "stereo-3d"
        public static let masteringDisplay: Kind = "mastering-display"
        public static let contentLightLevel: Kind = "content-light-level"
        public static let dolbyVisionConfiguration: Kind = "dolby-vision-configuration"
        public static let hdr10Plus: Kind = "hdr10-plus"
        /// An 8-byte big-endian BlockAddID, then the block's additional data.
        public static let blockAdditional: Kind = "block-additional"
        public static let webVTTIdentifier: Kind = "webvtt-identifier"
        public static let webVTTSettings: Kind = "webvtt-settings"
        /// ATSC A/53 closed caption triplets.
        public static let closedCaptions: Kind = "closed-captions"
        public static let transportStreamID: Kind = "transport-stream-id"
        public static let stringMetadata: Kind = "string-metadata"
        public static let metadataUpdate: Kind = "metadata-update"
    }

    public var kind: Kind
    /// As FFmpeg lays the kind out in memory.
    public var bytes: [UInt8]

    public init(kind: Kind, bytes: [UInt8]) {
        self.kind = kind
        self.bytes = bytes
    }
}
