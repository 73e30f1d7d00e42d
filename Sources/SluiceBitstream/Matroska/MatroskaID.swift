/// Identifiers of the elements that are looked at.
///
/// - Note: RFC 9559 §5.1, RFC 8794 §11.
public enum MatroskaID {
    public static let header: UInt32 = 0x1A45_DFA3
    public static let segment: UInt32 = 0x1853_8067
    public static let cluster: UInt32 = 0x1F43_B675
    public static let tracks: UInt32 = 0x1654_AE6B
    public static let info: UInt32 = 0x1549_A966
    static let void: UInt32 = 0xEC
    static let checksum: UInt32 = 0xBF
    static let timestampScale: UInt32 = 0x2A_D7B1

    static let trackEntry: UInt32 = 0xAE
    static let trackNumber: UInt32 = 0xD7
    static let trackType: UInt32 = 0x83
    static let codecID: UInt32 = 0x86
    static let defaultDuration: UInt32 = 0x23_E383
    static let codecDelay: UInt32 = 0x56AA
    static let trackTimestampScale: UInt32 = 0x23_314F
    static let contentEncodings: UInt32 = 0x6D80
    static let audio: UInt32 = 0xE1
    static let samplingFrequency: UInt32 = 0xB5

    static let timestamp: UInt32 = 0xE7
    static let simpleBlock: UInt32 = 0xA3
    static let blockGroup: UInt32 = 0xA0
    static let block: UInt32 = 0xA1
    static let blockDuration: UInt32 = 0x9B
    static let referenceBlock: UInt32 = 0xFB

    /// What may lie between clusters and says nothing of packets: the seek head, information, tracks, cues, attachments,
    /// chapters, tags, padding and checksums.
    public static func isBesideClusters(_ id: UInt32) -> Bool {
        switch id {
        case 0x114D_9B74, info, tracks, 0x1C53_BB6B, 0x1941_A469, 0x1043_A770, 0x1254_C367, void, checksum: true
        default: false
        }
    }

    /// What may lie between the blocks of a cluster: its position, the size of the one before, padding and checksums.
    static func isBesideBlocks(_ id: UInt32) -> Bool {
        switch id {
        case 0xA7, 0xAB, void, checksum: true
        default: false
        }
    }
}
