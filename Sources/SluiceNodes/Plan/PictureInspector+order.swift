import SluiceBitstream

extension PictureInspector {
    /// Bytes of a slice in which its picture order count lies.
    private static let sliceHead = 96

    /// Where the picture stands in presentation order (nil where its slices do not say), and whether it belongs to the
    /// picture of the packet before.
    ///
    /// Packets are to be shown to it in coding order.
    mutating func place(_ bytes: UnsafeRawBufferPointer) -> (order: PictureOrder?, continues: Bool) {
        switch codec {
        case .h264, .hevc:
            guard let order = order(bytes) else {
                // What holds no slice is no picture.
                let continues = framing != nil && !hasSlice
                if !continues { openField = nil }
                return (nil, continues)
            }
            let first = openField
            openField = nil
            guard let field = order.field else { return (order, false) }
            if let first, field.completes(first) { return (order, true) }
            openField = field
            return (order, false)
        case .vp9:
            // A frame that is not shown is one unit with the frame after it.
            let continues = isHidden
            isHidden = VP9Superframe.sizes(bytes).count == 1 && VP9FrameHeader(bytes)?.isShown == false
            return (nil, continues)
        case .av1, .other: return (nil, false)
        }
    }

    /// Whether a sample holds the first slices of two pictures. Asked of HEVC with lengths alone: in H.264 these may be two
    /// fields, and start codes have no lengths to go by.
    ///
    /// - Note: ITU-T H.265 §7.3.6.1 (`first_slice_segment_in_pic_flag`).
    func holdsTwoPictures(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard codec == .hevc, case .lengthPrefixed(let size)? = framing else { return false }
        var count = 0
        for unit in LengthPrefixedUnits(bytes, lengthSize: size) where unit.count > 2 {
            let head = bytes[unit.lowerBound]
            // Pictures of other layers belong to the same sample.
            let isBase = head & 1 == 0 && bytes[unit.lowerBound + 1] >> 3 == 0
            let isFirst = bytes[unit.lowerBound + 2] & 0x80 != 0
            if isBase, isFirst, HEVCUnitType(header: head).isSlice { count += 1 }
        }
        return count > 1
    }

    /// Forgets the pictures before; `configuration` holds from here.
    mutating func restart(_ configuration: [UInt8] = []) {
        counter?.restart()
        counter?.take(ParameterSetRule.sets(configuration, codec: codec))
        openField = nil
        isHidden = false
    }

    private mutating func order(_ bytes: UnsafeRawBufferPointer) -> PictureOrder? {
        hasSets = false
        guard let framing = framing ?? measured(bytes) else { return nil }
        let isH264 = codec == .h264
        let head = AccessUnitHead(bytes, framing: framing) {
            isH264 ? H264UnitType(header: $0).isSlice : HEVCUnitType(header: $0).isSlice
        }
        let sets = head.units.filter {
            let first = bytes[$0.lowerBound]
            return isH264 ? H264UnitType(header: first).isParameterSet : HEVCUnitType(header: first).isParameterSet
        }
        hasSets = !sets.isEmpty
        if !sets.isEmpty { counter?.take(sets.map { [UInt8](bytes[$0]) }) }
        hasSlice = head.slice != nil || head.units.count >= AccessUnitHead.unitLimit
        guard let slice = head.slice else { return nil }
        let end = min(bytes.count, slice + Self.sliceHead)
        return counter?.order(of: UnsafeRawBufferPointer(rebasing: bytes[slice..<end]))
    }
}
