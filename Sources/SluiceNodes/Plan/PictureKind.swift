/// What a coded picture is as a place to begin decoding, told from its own bytes.
public enum PictureKind: UInt8, Sendable, Hashable, CaseIterable {
    /// Needs pictures before it.
    case dependent = 0
    /// H.264 or HEVC instantaneous decoder refresh: nothing after it refers to what came before.
    case idr
    /// HEVC clean random access: its leading pictures may need what came before.
    case cra
    /// HEVC broken link access.
    case bla
    /// H.264 picture with a recovery point message that recovers at once.
    case recoveryPoint
    /// H.264 intra picture without such a message that the container calls a random access point.
    case intra
    /// Key frame of AV1 or VP9, or of a codec whose pictures are not looked into.
    case keyFrame
    /// HEVC leading picture that cannot be decoded from its random access point on.
    case skippedLeading
    /// HEVC leading picture that can be decoded from its random access point on.
    case decodableLeading

    /// Whether a segment may begin here.
    public var isRandomAccessPoint: Bool {
        switch self {
        case .idr, .cra, .bla, .recoveryPoint, .intra, .keyFrame: true
        case .dependent, .skippedLeading, .decodableLeading: false
        }
    }

    /// Short name for listings.
    public var name: String {
        switch self {
        case .dependent: "dependent"
        case .idr: "idr"
        case .cra: "cra"
        case .bla: "bla"
        case .recoveryPoint: "recovery-point"
        case .intra: "intra"
        case .keyFrame: "key-frame"
        case .skippedLeading: "skipped-leading"
        case .decodableLeading: "decodable-leading"
        }
    }
}
