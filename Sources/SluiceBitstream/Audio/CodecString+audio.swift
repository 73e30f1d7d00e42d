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

extension SampleEntry {
    /// What CODECS says about the entry.
    public var codecString: String {
        switch self {
        case .video(let entry):
            switch entry.codec {
            case .avc(let record): CodecString.avc(record, entry: entry.code)
            case .hevc(let record): CodecString.hevc(record, entry: entry.code)
            case .av1(let record): CodecString.av1(record, color: entry.color)
            case .vp9(let record): CodecString.vp9(record)
            }
        case .audio(let entry):
            switch entry.codec {
            case .mp4a(let config): CodecString.aac(config)
            case .mpeg(let objectType): "mp4a." + String(objectType, radix: 16, uppercase: true)
            case .ac3: CodecString.ac3
            case .eac3: CodecString.eac3
            case .flac: CodecString.flac
            case .alac: CodecString.alac
            case .opus: CodecString.opus
            }
        }
    }
}
