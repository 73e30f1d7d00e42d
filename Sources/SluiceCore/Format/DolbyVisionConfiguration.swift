/// What a Dolby Vision configuration record declares: `dvcC`, `dvvC` and `dvwC`, or what a container has in their place.
///
/// - Note: Dolby Vision Streams Within the ISO Base Media File Format, version 2.6, §3.2.
public struct DolbyVisionConfiguration: Sendable, Hashable {
    /// `dv_version_major`: 1, or 2 with the later profiles.
    public var majorVersion: Int = 1
    public var minorVersion: Int = 0
    /// `dv_profile`, 0 to 127.
    public var profile: Int
    /// `dv_level`, 0 to 63.
    public var level: Int
    /// Whether samples hold RPUs.
    public var hasMetadata: Bool
    /// Whether samples hold an enhancement layer.
    public var hasEnhancementLayer: Bool
    public var hasBaseLayer: Bool
    /// `dv_bl_signal_compatibility_id`: 0 none, 1 HDR10, 2 SDR, 4 HLG, 6 HDR10 of a disc.
    public var compatibility: Int
    /// `dv_md_compression`, 0 to 3: 0 none, 1 limited, 3 extended.
    public var compression: Int = 0

    /// By default a record of one layer and RPUs: what a converted stream declares.
    public init(
        profile: Int, level: Int, hasMetadata: Bool = true, hasEnhancementLayer: Bool = false,
        hasBaseLayer: Bool = true, compatibility: Int
    ) {
        self.profile = profile
        self.level = level
        self.hasMetadata = hasMetadata
        self.hasEnhancementLayer = hasEnhancementLayer
        self.hasBaseLayer = hasBaseLayer
        self.compatibility = compatibility
    }
}
