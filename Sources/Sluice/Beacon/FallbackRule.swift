/// What a viewer is offered after its player has refused what it was offered before.
enum FallbackTier: Int, Sendable, Hashable, Comparable {
    /// Everything that is true of the title.
    case full
    /// The multivariant playlist without the claim of Dolby Vision: the same range, the same renditions.
    case plain
    /// A media playlist with picture and sound together, which players take without reading claims.
    case media

    var name: String {
        switch self {
        case .full: "full"
        case .plain: "plain"
        case .media: "media"
        }
    }

    static func < (one: FallbackTier, other: FallbackTier) -> Bool { one.rawValue < other.rawValue }
}

/// Decides which tier follows an error of a player. Pure.
///
/// - Note: behaviours CR-22, SS-11.
enum FallbackRule {
    /// Codes by which players say that what a playlist names, or what an initialization section holds, is nothing for
    /// them. Failures of the network say nothing about it.
    private static let refusals: Set<String> = [
        // AVFoundation: no compatible alternates, content unavailable; NSURLError: unsupported URL.
        "-11868", "-11848", "-1002",
        // HTMLMediaElement: decoding failed, source not supported.
        "MEDIA_ERR_DECODE", "MEDIA_ERR_SRC_NOT_SUPPORTED",
        // hls.js.
        "manifestIncompatibleCodecsError", "bufferAddCodecError", "bufferIncompatibleCodecsError",
        // Media3: no decoder, decoding failed, format exceeds the device or is not supported.
        "4001", "4003", "4004", "4005",
        // Players that found a playlist but nothing to play in it.
        "no-track",
    ]

    static func isRefusal(_ code: String) -> Bool { refusals.contains(code) }

    /// - Parameters:
    ///   - tier: what the viewer was offered.
    ///   - hasClaim: the full playlist claims more than its base layer.
    static func next(_ tier: FallbackTier, after code: String, hasClaim: Bool) -> FallbackTier {
        guard isRefusal(code) else { return tier }
        return tier == .full && hasClaim ? .plain : .media
    }
}
