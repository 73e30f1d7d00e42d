import SluiceCore

extension SampleEntry {
    /// What CODECS says about the entry.
    public var codecString: String {
        switch self {
        case .video(let entry):
            if let vision = entry.dolbyVision, vision.compatibility == 0 {
                return CodecString.dolbyVision(vision, entry: entry.code)
            }
            return switch entry.codec {
            case .avc(let record): CodecString.avc(record, entry: entry.code)
            case .hevc(let record): CodecString.hevc(record, entry: entry.code)
            case .av1(let record): CodecString.av1(record, color: entry.color)
            case .vp9(let record): CodecString.vp9(record)
            }
        case .audio(let entry):
            return switch entry.codec {
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

    /// What VIDEO-RANGE says about the entry: a Dolby Vision record names the range of its base layer, also where the
    /// pictures name no colour.
    public var videoRange: VideoRange {
        guard case .video(let entry) = self else { return .sdr }
        switch entry.dolbyVision?.compatibility {
        case 0, 1: return .pq
        case 4: return .hlg
        default: return VideoRange(transfer: Int(entry.color?.transfer ?? 2))
        }
    }

    /// What SUPPLEMENTAL-CODECS says about the entry: what it is to those who know Dolby Vision, and the brand of its
    /// base layer. nil where CODECS says it all.
    ///
    /// - Note: rfc8216bis §4.4.6.2; HLS Authoring Specification for Apple Devices, 1.10.
    public var supplementalCodec: String? {
        guard case .video(let entry) = self, let vision = entry.dolbyVision else { return nil }
        let code: FourCC
        switch entry.codec {
        case .hevc: code = "dvh1"
        case .av1: code = "dav1"
        case .avc, .vp9: return nil
        }
        guard let brand = vision.baseBrand else { return nil }
        return CodecString.dolbyVision(vision, entry: code) + "/\(brand)"
    }
}
