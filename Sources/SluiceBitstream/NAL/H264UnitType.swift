/// Type of an H.264 NAL unit: the low five bits of its first byte.
///
/// - Note: ITU-T H.264 table 7-1.
public struct H264UnitType: Sendable, Hashable, RawRepresentable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue & 0x1F }

    /// From the first byte of a unit.
    public init(header byte: UInt8) { rawValue = byte & 0x1F }

    public static let slice = H264UnitType(rawValue: 1)
    public static let partitionA = H264UnitType(rawValue: 2)
    public static let partitionB = H264UnitType(rawValue: 3)
    public static let partitionC = H264UnitType(rawValue: 4)
    public static let idr = H264UnitType(rawValue: 5)
    public static let sei = H264UnitType(rawValue: 6)
    public static let sps = H264UnitType(rawValue: 7)
    public static let pps = H264UnitType(rawValue: 8)
    public static let accessUnitDelimiter = H264UnitType(rawValue: 9)
    public static let endOfSequence = H264UnitType(rawValue: 10)
    public static let endOfStream = H264UnitType(rawValue: 11)
    public static let filler = H264UnitType(rawValue: 12)
    public static let spsExtension = H264UnitType(rawValue: 13)

    /// What Dolby Vision over AVC has of the unspecified types.
    public static let dolbyRPU = H264UnitType(rawValue: 28)
    public static let dolbyEnhancement = H264UnitType(rawValue: 30)

    /// A slice with its own header: types 1, 2 and 5.
    public var isSlice: Bool { rawValue == 1 || rawValue == 2 || rawValue == 5 }
    public var isParameterSet: Bool { rawValue == 7 || rawValue == 8 || rawValue == 13 }
}
