/// The head of an HEVC slice segment, up to the picture order count.
///
/// - Note: ITU-T H.265 §7.3.6.1.
public struct HEVCSliceHeader: Sendable, Hashable {
    public enum Kind: UInt32, Sendable, Hashable {
        case b, p, i
    }

    public var type: HEVCUnitType
    /// `nuh_temporal_id_plus1 - 1`.
    public var temporalID: Int
    public var isFirstOfPicture: Bool
    public var pictureParametersID: Int
    /// nil in slice segments that take their header from the one before.
    public var kind: Kind?
    public var isOutput = true
    /// `slice_pic_order_cnt_lsb`; 0 for IDR pictures.
    public var pictureOrderLow: UInt32 = 0

    /// The parameter set a slice names; nil where the unit is no slice or is truncated.
    public static func pictureParametersID(_ unit: UnsafeRawBufferPointer) -> Int? {
        guard unit.count >= 3 else { return nil }
        let type = HEVCUnitType(header: unit[0])
        guard type.isSlice else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[2...]), escaped: true)
        bits.skip(type.isIRAP ? 2 : 1)
        let id = bits.ue()
        return bits.overran || id > 63 ? nil : Int(id)
    }

    /// Parses a unit with its two header bytes; nil where it is no slice, is truncated or out of range.
    public init?(_ unit: UnsafeRawBufferPointer, sequence: HEVCSequenceParameters, picture: HEVCPictureParameters) {
        guard unit.count >= 3, HEVCUnitType(header: unit[0]).isSlice else { return nil }
        type = HEVCUnitType(header: unit[0])
        temporalID = max(0, Int(unit[1] & 7) - 1)
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[2...]), escaped: true)
        isFirstOfPicture = bits.flag()
        if type.isIRAP { bits.skip(1) }
        let id = bits.ue()
        guard id < 64 else { return nil }
        pictureParametersID = Int(id)
        var isDependent = false
        if !isFirstOfPicture {
            if picture.hasDependentSlices { isDependent = bits.flag() }
            bits.skip(Self.addressBits(sequence))
        }
        if !isDependent {
            bits.skip(picture.extraSliceBits)
            guard let kind = Kind(rawValue: bits.ue()) else { return nil }
            self.kind = kind
            if picture.hasOutputFlag { isOutput = bits.flag() }
            if sequence.hasSeparatePlanes { bits.skip(2) }
            if !type.isIDR { pictureOrderLow = bits.u(sequence.pictureOrderBits) }
        }
        guard !bits.overran else { return nil }
    }

    /// Bits of `slice_segment_address`: the smallest number that can count all coding tree blocks.
    private static func addressBits(_ sequence: HEVCSequenceParameters) -> Int {
        let side = 1 << sequence.codingTreeBlockBits
        let columns = (sequence.codedWidth + side - 1) / side
        let rows = (sequence.codedHeight + side - 1) / side
        let last = max(0, columns * rows - 1)
        return Int.bitWidth - last.leadingZeroBitCount
    }
}
