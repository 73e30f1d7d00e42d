/// The head of an H.264 slice, up to the picture order count.
///
/// - Note: ITU-T H.264 §7.3.3.
public struct H264SliceHeader: Sendable, Hashable {
    public enum Kind: UInt32, Sendable, Hashable {
        case p, b, i, sp, si
    }

    public var isIDR: Bool
    /// `nal_ref_idc` is not 0.
    public var isReference: Bool
    public var firstMacroblock: UInt32
    public var kind: Kind
    public var pictureParametersID: Int
    public var frameNumber: UInt32 = 0
    public var isField = false
    public var isBottomField = false
    public var idrID: UInt32 = 0
    /// `pic_order_cnt_lsb`; 0 unless the picture order type is 0.
    public var pictureOrderLow: UInt32 = 0
    public var deltaBottom: Int32 = 0
    /// `delta_pic_order_cnt`; zeros unless the picture order type is 1.
    public var deltas: [Int32] = []

    /// The parameter set a slice names; nil where the unit is no slice or is truncated.
    public static func pictureParametersID(_ unit: UnsafeRawBufferPointer) -> Int? {
        guard unit.count >= 2, H264UnitType(header: unit[0]).isSlice else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), escaped: true)
        _ = bits.ue()
        _ = bits.ue()
        let id = bits.ue()
        return bits.overran || id > 255 ? nil : Int(id)
    }

    /// Parses a unit with its header byte; nil where it is no slice, is truncated or out of range.
    public init?(
        _ unit: UnsafeRawBufferPointer, sequence: H264SequenceParameters, picture: H264PictureParameters
    ) {
        guard unit.count >= 2, H264UnitType(header: unit[0]).isSlice else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), escaped: true)
        isIDR = H264UnitType(header: unit[0]) == .idr
        isReference = unit[0] & 0x60 != 0
        firstMacroblock = bits.ue()
        guard let kind = Kind(rawValue: bits.ue() % 5) else { return nil }
        self.kind = kind
        let id = bits.ue()
        guard id < 256 else { return nil }
        pictureParametersID = Int(id)
        if sequence.hasSeparatePlanes { bits.skip(2) }
        frameNumber = bits.u(sequence.frameNumberBits)
        if !sequence.isFrameOnly {
            isField = bits.flag()
            if isField { isBottomField = bits.flag() }
        }
        if isIDR { idrID = bits.ue() }
        if sequence.pictureOrderType == 0 {
            pictureOrderLow = bits.u(sequence.pictureOrderBits)
            if picture.hasBottomFieldOrder, !isField { deltaBottom = bits.se() }
        } else if sequence.pictureOrderType == 1, !sequence.isDeltaAlwaysZero {
            deltas.append(bits.se())
            if picture.hasBottomFieldOrder, !isField { deltas.append(bits.se()) }
        }
        guard !bits.overran else { return nil }
    }
}
