import SluiceCore
import SluiceNodes

/// Kinds of clients, by what all of them play in fragmented MP4 without hardware that only some have. Pure.
enum ClientProfile: String, Sendable, Hashable, CaseIterable {
    /// Safari and everything else that plays through Apple's AVFoundation, the browsers of iOS included.
    ///
    /// - Note: HLS Authoring Specification for Apple Devices, 1.1 and 2.1; it names neither VP9 nor Opus, and AV1 needs
    ///   hardware that only recent devices have.
    case apple
    /// Chromium and the browsers built on it, on Android too: their demuxer takes neither AC-3 nor MP3 in MP4, and HEVC
    /// is up to the hardware.
    case chromium
    case firefox
    /// ExoPlayer and Media3 with the decoders that every Android device must have.
    ///
    /// - Note: Android Compatibility Definition, 5.1.2 and 5.1.8.
    case android
    /// Everything that is copied. Players with decoders of their own (mpv, VLC, FFmpeg, GStreamer), televisions, and
    /// clients of which nothing is known.
    case generic

    var capabilities: ClientCapabilities {
        switch self {
        case .apple:
            ClientCapabilities(codecs: ["h264", "hevc", "aac", "ac3", "eac3", "alac", "flac", "mp3"], traits: plain)
        case .chromium:
            ClientCapabilities(codecs: ["h264", "vp9", "av1", "aac", "flac", "opus"], traits: decodedInSoftware)
        case .firefox:
            ClientCapabilities(
                codecs: ["h264", "hevc", "vp9", "av1", "aac", "flac", "opus"], traits: decodedInSoftware)
        case .android:
            ClientCapabilities(
                codecs: ["h264", "hevc", "vp9", "av1", "aac", "flac", "opus", "mp3"], traits: plain)
        case .generic: .everything
        }
    }

    private var plain: Set<PictureTrait> { PictureTrait.harmless }

    /// Browsers bring decoders of their own for the codecs that hardware knows least of.
    private var decodedInSoftware: Set<PictureTrait> { PictureTrait.harmless.union([.highAV1, .highVP9]) }

    /// Bytes of a User-Agent that are looked at.
    static let agentLimit = 512

    /// The profile of a client that names itself.
    ///
    /// - Parameter userAgent: as it was sent; empty and unknown ones are `generic`, because nothing is known of them.
    ///   Only the first ``agentLimit`` bytes count.
    init(userAgent: String) {
        let agent = String(decoding: userAgent.utf8.prefix(Self.agentLimit), as: UTF8.self)
        func names(_ words: String...) -> Bool { words.contains { agent.contains($0) } }

        if names("AppleCoreMedia/") {
            self = .apple
        } else if names("Tizen", "Web0S", "SmartTV", "SMART-TV", "CrKey/", "VLC/", "LibVLC/") {
            // They call themselves browsers as well, but their decoders are those of the device.
            self = .generic
        } else if names("iPhone", "iPad", "iPod"), names("AppleWebKit/") {
            // Whatever the browser is called there, the engine is WebKit.
            self = .apple
        } else if names("Chrome/", "Chromium/") {
            self = .chromium
        } else if names("Firefox/") {
            self = .firefox
        } else if names("Macintosh"), names("AppleWebKit/") {
            self = .apple
        } else if names("ExoPlayer", "AndroidXMedia3/", "stagefright/", "Dalvik/") {
            self = .android
        } else {
            self = .generic
        }
    }
}
