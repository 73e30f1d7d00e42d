public import SluiceAV
public import SluiceCore

/// What a bridge encodes to.
public enum BridgeCodec: String, Sendable, Hashable, CaseIterable {
    case eac3, flac, aac

    public var name: CodecName { CodecName(rawValue: rawValue) }
}

/// What a viewer wants of sounds that are bridged.
public enum BridgeMode: String, Sendable, Hashable, CaseIterable {
    /// E-AC-3 above two channels, FLAC otherwise.
    case surround
    /// FLAC up to 7.1; what the source's samples hold stays.
    case lossless
    /// AAC, which everybody plays.
    case aac
}

/// How one sound of a title reaches a client.
public enum SoundDelivery: Sendable, Hashable {
    case copy
    case bridge(BridgeCodec)
    /// Not at all.
    case refused

    public var codec: BridgeCodec? { if case .bridge(let codec) = self { codec } else { nil } }
}

/// Decides what becomes of a sound that cannot be copied, or that a client does not take as it is. Pure.
///
/// - Note: behaviours AB-01 to AB-10, AB-21.
public enum BridgePolicy {
    /// Bits a second of each channel in E-AC-3.
    static let surroundRate = 128_000
    /// Layouts that each codec is given, from small to large. E-AC-3 stops at six channels, FLAC at eight; of AAC those
    /// that a channel configuration names.
    static let layouts: [BridgeCodec: [String]] = [
        .eac3: ["mono", "stereo", "3.0", "4.0", "quad(side)", "5.0(side)", "5.1(side)"],
        .flac: ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"],
        .aac: ["mono", "stereo", "3.0", "4.0", "5.0", "5.1"],
    ]
    /// Above this FLAC is no rate that players take.
    static let highestRate = 192_000
    /// AAC beyond it is not played everywhere.
    static let highestAdvancedRate = 48_000

    /// - Parameters:
    ///   - copies: whether the units of the sound can be carried as they are.
    ///   - client: what the client plays.
    public static func delivery(
        _ format: StreamFormat, copies: Bool, client: ClientCapabilities, mode: BridgeMode = .surround
    ) -> (delivery: SoundDelivery, reason: String) {
        if copies, client.codecs.contains(format.codec) { return (.copy, "\(format.codec) is copied") }
        if let refusal = refusal(format) { return (.refused, refusal) }
        guard let codec = order(format, mode).first(where: { client.codecs.contains($0.name) && isThere($0) }) else {
            return (.refused, "\(format.codec) would be bridged, but the client plays nothing that can be encoded")
        }
        let settings = settings(format, codec)
        let why = copies ? "the client does not play \(format.codec)" : "\(format.codec) cannot be carried as it is"
        return (.bridge(codec), "\(why): bridged to \(describe(settings))")
    }

    /// Why nobody can decode the sound; nil where it can be bridged.
    public static func refusal(_ format: StreamFormat) -> String? {
        if format.isEncrypted { return RoutePolicy.encrypted }
        if format.parked == .undecodable || !AudioCodecs.canDecode(format.codec) {
            return "\(format.codec) sound: no decoder, so it is neither copied nor bridged"
        }
        guard let audio = format.audio, audio.sampleRate > 0 else {
            return "no sample was found that says its rate and channels"
        }
        // There is no way from channels that nobody names to those of a layout.
        let limit = audio.layout == nil ? 8 : 64
        return audio.channels <= limit ? nil : "\(audio.channels) channels; expected at most \(limit)"
    }

    /// Codecs to bridge to, the best first.
    static func order(_ format: StreamFormat, _ mode: BridgeMode) -> [BridgeCodec] {
        switch mode {
        case .aac: [.aac, .flac, .eac3]
        case .lossless: [.flac, .eac3, .aac]
        case .surround: (format.audio?.channels ?? 0) > 2 ? [.eac3, .flac, .aac] : [.flac, .eac3, .aac]
        }
    }

    private static func isThere(_ codec: BridgeCodec) -> Bool { AudioCodecs.canEncode(codec.name) }

    // MARK: - Settings

    /// What the encoder is given for a sound.
    public static func settings(_ format: StreamFormat, _ codec: BridgeCodec) -> AudioEncoderSettings {
        let audio = format.audio ?? AudioFormat(sampleRate: 48_000, channels: 2)
        let rate = rate(audio.sampleRate, codec)
        let layout = LayoutRule.target(
            audio.layout, channels: audio.channels, among: layouts[codec] ?? ["stereo"],
            native: codec == .eac3 ? AudioCodecs.layouts(encoding: codec.name) ?? [] : [])
        let channels = max(1, AudioCodecs.channels(of: layout).count)
        let depth = codec == .flac ? depth(format) : 0
        var settings = AudioEncoderSettings(
            codec: codec.name, sampleRate: rate, layout: layout,
            sampleFormat: codec == .flac ? (depth > 16 ? "s32" : "s16") : "fltp")
        settings.bitsPerSample = depth
        switch codec {
        case .eac3: settings.bitRate = surroundRate * channels
        case .aac: settings.bitRate = channels == 1 ? 96_000 : channels == 2 ? 192_000 : 64_000 * channels
        case .flac: settings.frameSize = rate >= 32_000 ? 4_096 : rate >= 16_000 ? 2_048 : 1_024
        }
        return settings
    }

    /// The source's rate where the encoder takes it; else one that is a whole part or a multiple of it; else the nearest.
    static func rate(_ source: Int, _ codec: BridgeCodec) -> Int {
        let source = max(1, source)
        guard var listed = AudioCodecs.sampleRates(encoding: codec.name) else {
            var rate = source
            while rate > highestRate, rate % 2 == 0 { rate /= 2 }
            return min(rate, highestRate)
        }
        if codec == .aac { listed = listed.filter { $0 <= highestAdvancedRate } }
        if listed.contains(source) { return source }
        let related = listed.filter { source % $0 == 0 || $0 % source == 0 }
        return (related.isEmpty ? listed : related).min { abs($0 - source) < abs($1 - source) } ?? 48_000
    }

    /// Bits of a sample that are kept: 16 of what a lossy coder made, up to 24 of what was never lost.
    ///
    /// - Note: behaviours AB-07.
    static func depth(_ format: StreamFormat) -> Int {
        let name = format.codec.rawValue
        if name.hasPrefix("pcm_") {
            let wide = ["s20", "s24", "s32", "s64", "u24", "u32", "f32", "f64", "f16", "f24", "bluray", "dvd"]
            let isWide = wide.contains { name.contains($0) }
            guard name == "pcm_bluray" || name == "pcm_dvd" else { return isWide ? 24 : 16 }
            return (format.audio?.bitsPerSample ?? 16) > 16 ? 24 : 16
        }
        // Profile 60 is DTS-HD MA.
        guard lossless.contains(name) || (name == "dts" && format.profile == 60) else { return 16 }
        guard let bits = format.audio?.bitsPerSample, bits > 0 else { return 24 }
        return bits > 16 ? 24 : 16
    }

    private static let lossless: Set<String> = [
        "truehd", "mlp", "flac", "alac", "wavpack", "tta", "ape", "mp4als", "tak", "shorten", "wmalossless", "ralf",
    ]

    package static func describe(_ settings: AudioEncoderSettings) -> String {
        let rate = settings.bitRate > 0 ? ", \(settings.bitRate / 1_000) kbit/s" : ", \(settings.bitsPerSample) bits"
        return "\(settings.codec) \(settings.layout) at \(settings.sampleRate) Hz\(rate)"
    }
}
