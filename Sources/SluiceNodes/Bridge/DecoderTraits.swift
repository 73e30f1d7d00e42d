import SluiceCore

/// What a decoder needs before the first sample that counts. Pure.
enum DecoderTraits {
    /// Sound that is decoded and thrown away, so that filters have run in and reservoirs are filled.
    ///
    /// Generous: it costs a few per cent of the work, and whoever begins within a title must hear the same as those who
    /// began before. TrueHD can be entered 128 access units apart at most; MP3 frames reach 511 bytes back; Opus wants
    /// 80 ms (RFC 7845 §4.6).
    static func preroll(_ codec: CodecName) -> Duration {
        switch codec.rawValue {
        case let name where name.hasPrefix("pcm_"): .milliseconds(60)
        case "truehd", "mlp": .milliseconds(250)
        case "ac3", "eac3", "dts", "mp1", "mp2", "alac": .milliseconds(200)
        case "mp3", "aac", "aac_latm", "opus": .milliseconds(300)
        case "vorbis", "flac", "wavpack", "tta": .milliseconds(400)
        case "ape": .milliseconds(10_000)
        default: .milliseconds(800)
        }
    }

    /// Frames that an encoder is given before the first one that counts.
    static func warmUp(_ codec: BridgeCodec) -> Int64 {
        switch codec {
        case .flac: 0
        case .eac3: 2
        case .aac: 4
        }
    }
}
