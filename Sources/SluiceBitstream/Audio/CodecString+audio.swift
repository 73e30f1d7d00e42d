extension CodecString {
    public static let ac3 = "ac-3"
    /// Object audio is told by CHANNELS (`16/JOC`), never by the codec string.
    public static let eac3 = "ec-3"
    public static let flac = "fLaC"
    public static let alac = "alac"
    public static let opus = "Opus"
    /// MPEG-1 layer III.
    public static let mp3 = "mp4a.40.34"

    /// `mp4a.40.N`: 2 for AAC-LC, 5 for HE-AAC, 29 for HE-AAC v2, else the object type.
    ///
    /// - Note: RFC 6381 §3.3.
    public static func aac(_ config: AudioSpecificConfig) -> String {
        if config.hasParametricStereo { return "mp4a.40.29" }
        if config.hasSpectralReplication { return "mp4a.40.5" }
        return "mp4a.40.\(config.objectType)"
    }

    /// From an AudioSpecificConfig as bytes; `mp4a.40.2` where it cannot be parsed.
    public static func aac(_ config: [UInt8]) -> String {
        AudioSpecificConfig(config).map { aac($0) } ?? "mp4a.40.2"
    }
}
