/// Type of an HEVC NAL unit: bits 1 to 6 of its first byte.
///
/// - Note: ITU-T H.265 table 7-1; 62 and 63 as Dolby Vision uses them.
public struct HEVCUnitType: Sendable, Hashable, RawRepresentable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x3F }

    /// From the first byte of a unit.
    public init(header byte: UInt8) { rawValue = (byte >> 1) & 0x3F }

    public static let radlN = HEVCUnitType(rawValue: 6)
    public static let radlR = HEVCUnitType(rawValue: 7)
    public static let raslN = HEVCUnitType(rawValue: 8)
    public static let raslR = HEVCUnitType(rawValue: 9)
    public static let blaWLP = HEVCUnitType(rawValue: 16)
    public static let blaWRADL = HEVCUnitType(rawValue: 17)
    public static let blaNLP = HEVCUnitType(rawValue: 18)
    public static let idrWRADL = HEVCUnitType(rawValue: 19)
    public static let idrNLP = HEVCUnitType(rawValue: 20)
    public static let cra = HEVCUnitType(rawValue: 21)
    public static let vps = HEVCUnitType(rawValue: 32)
    public static let sps = HEVCUnitType(rawValue: 33)
    public static let pps = HEVCUnitType(rawValue: 34)
    public static let accessUnitDelimiter = HEVCUnitType(rawValue: 35)
    public static let endOfSequence = HEVCUnitType(rawValue: 36)
    public static let endOfBitstream = HEVCUnitType(rawValue: 37)
    public static let filler = HEVCUnitType(rawValue: 38)
    public static let prefixSEI = HEVCUnitType(rawValue: 39)
    public static let suffixSEI = HEVCUnitType(rawValue: 40)
    /// Dolby Vision reference processing unit.
    public static let dolbyRPU = HEVCUnitType(rawValue: 62)
    /// Dolby Vision enhancement layer.
    public static let dolbyEnhancement = HEVCUnitType(rawValue: 63)

    /// Coded picture data.
    public var isSlice: Bool { rawValue < 32 }
    /// A picture that decoding can start at.
    public var isIRAP: Bool { (16...23).contains(rawValue) }
    public var isIDR: Bool { self == .idrWRADL || self == .idrNLP }
    public var isBLA: Bool { (16...18).contains(rawValue) }
    /// A leading picture that needs pictures before its IRAP.
    public var isRASL: Bool { self == .raslN || self == .raslR }
    /// A leading picture decodable from its IRAP on.
    public var isRADL: Bool { self == .radlN || self == .radlR }
    public var isLeading: Bool { (6...9).contains(rawValue) }
    /// A picture of the highest sub-layer that no other of it refers to (even types below 16).
    public var isSubLayerNonReference: Bool { rawValue < 16 && rawValue % 2 == 0 }
    public var isParameterSet: Bool { (32...34).contains(rawValue) }
}
