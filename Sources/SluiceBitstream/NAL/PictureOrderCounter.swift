/// Counts the picture order of an H.264 or HEVC stream from the heads of its slices, in coding order.
///
/// - Note: ITU-T H.264 §8.2.1 (types 0 and 2), ITU-T H.265 §8.3.1. Memory operations that reset the count in mid-sequence
///   are not followed.
public struct PictureOrderCounter: Sendable {
    private let isHEVC: Bool
    private var sequences: [Int: H264SequenceParameters] = [:]
    private var pictures: [Int: H264PictureParameters] = [:]
    private var highSequences: [Int: HEVCSequenceParameters] = [:]
    private var highPictures: [Int: HEVCPictureParameters] = [:]
    /// Units that were taken last, so that repetitions cost a comparison only.
    private var latest: [[UInt8]] = []

    private var high: Int32 = 0
    private var low: Int32 = 0
    private var sequence: Int32 = 0
    private var coded: Int32 = 0
    private var hasBegun = false
    /// Parity of the IDR field that began the sequence, until the next picture.
    private var openingField: Bool?

    public init(isHEVC: Bool) { self.isHEVC = isHEVC }

    /// Forgets the pictures, not the parameter sets.
    public mutating func restart() {
        (high, low, sequence, coded, hasBegun) = (0, 0, 0, 0, false)
        openingField = nil
    }

    /// Takes over parameter sets; what is none is passed over.
    public mutating func take(_ sets: [[UInt8]]) {
        guard !sets.isEmpty, sets != latest else { return }
        latest = sets
        for set in sets {
            if isHEVC {
                if let found = HEVCSequenceParameters(set) { highSequences[found.id] = found }
                if let found = HEVCPictureParameters(set) { highPictures[found.id] = found }
            } else {
                if let found = H264SequenceParameters(set) { sequences[found.id] = found }
                if let found = H264PictureParameters(set) { pictures[found.id] = found }
            }
        }
    }

    /// The order of the picture whose first slice begins `unit`; the unit may be cut behind its head.
    ///
    /// - Returns: nil where the slice names sets that are not known, or counts in a way that is not followed.
    public mutating func order(of unit: UnsafeRawBufferPointer) -> PictureOrder? {
        isHEVC ? hevc(unit) : h264(unit)
    }

    private mutating func h264(_ unit: UnsafeRawBufferPointer) -> PictureOrder? {
        guard let id = H264SliceHeader.pictureParametersID(unit), let picture = pictures[id],
            let parameters = sequences[picture.sequenceID],
            let slice = H264SliceHeader(unit, sequence: parameters, picture: picture)
        else { return nil }
        let isSecondField = slice.isField && openingField.map { $0 != slice.isBottomField } ?? false
        if slice.isIDR, !isSecondField { begin() }
        openingField = slice.isIDR && slice.isField && !isSecondField ? slice.isBottomField : nil
        defer {
            coded &+= 1
            hasBegun = true
        }
        let field =
            slice.isField
            ? PictureOrder.Field(
                isBottom: slice.isBottomField, isReference: slice.isReference, frameNumber: slice.frameNumber) : nil
        switch parameters.pictureOrderType {
        case 0:
            let bits = parameters.pictureOrderBits
            let (high, count) = count(Int32(bitPattern: slice.pictureOrderLow), bits)
            if slice.isReference { (self.high, low) = (high, Int32(bitPattern: slice.pictureOrderLow)) }
            let bottom = slice.isField ? 0 : min(0, slice.deltaBottom)
            return PictureOrder(sequence: sequence, count: count &+ bottom, field: field)
        case 2: return PictureOrder(sequence: sequence, count: coded &* 2, field: field)
        default: return nil
        }
    }

    private mutating func hevc(_ unit: UnsafeRawBufferPointer) -> PictureOrder? {
        guard let id = HEVCSliceHeader.pictureParametersID(unit), let picture = highPictures[id],
            let parameters = highSequences[picture.sequenceID],
            let slice = HEVCSliceHeader(unit, sequence: parameters, picture: picture), slice.isFirstOfPicture
        else { return nil }
        if slice.type.isIDR || slice.type.isBLA { begin() }
        defer { hasBegun = true }
        let value = Int32(bitPattern: slice.pictureOrderLow)
        let (high, count) = count(value, parameters.pictureOrderBits)
        if slice.temporalID == 0, !slice.type.isLeading, !slice.type.isSubLayerNonReference {
            (self.high, low) = (high, value)
        }
        return PictureOrder(sequence: sequence, count: count)
    }

    private mutating func begin() {
        if hasBegun { sequence &+= 1 }
        (high, low, coded, hasBegun) = (0, 0, 0, false)
    }

    /// The part above what slices carry, and the whole count.
    private func count(_ value: Int32, _ bits: Int) -> (high: Int32, count: Int32) {
        let (half, full) = (Int32(1) << Int32(bits - 1), Int32(1) << Int32(bits))
        // The first picture is taken as it is: only distances matter.
        guard hasBegun else { return (0, value) }
        if value < low, low &- value >= half { return (high &+ full, high &+ full &+ value) }
        if value > low, value &- low > half { return (high &- full, high &- full &+ value) }
        return (high, high &+ value)
    }
}
