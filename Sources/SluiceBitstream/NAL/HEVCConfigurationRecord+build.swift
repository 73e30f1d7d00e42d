extension HEVCConfigurationRecord {
    /// Builds a record for four-byte lengths from parameter sets, in normal form.
    ///
    /// nil where there is no SPS of layer 0 that can be parsed. Units of other types are ignored; repeated units are
    /// taken once.
    public init?(parameterSets: [[UInt8]]) {
        var lists: [HEVCUnitType: [[UInt8]]] = [:]
        for unit in parameterSets where unit.count > 2 && unit.count <= 65_535 {
            let type = HEVCUnitType(header: unit[0])
            guard type.isParameterSet, lists[type]?.contains(unit) != true else { continue }
            lists[type, default: []].append(unit)
        }
        guard let sps = (lists[.sps] ?? []).lazy.compactMap({ HEVCSequenceParameters($0) }).first else { return nil }
        let pps = (lists[.pps] ?? []).lazy.compactMap { HEVCPictureParameters($0) }.first
        let segmentation = sps.usability?.minimumSpatialSegmentation ?? 0
        var writer = BoxWriter(capacity: 23)
        writer.u8(1)
        writer.raw(sps.profileTierLevel.bytes)
        writer.u16(0xF000 | UInt16(truncatingIfNeeded: segmentation & 0xFFF))
        writer.u8(0xFC | Self.parallelism(pps, segmentation: segmentation))
        writer.u8(0xFC | UInt8(sps.chromaFormat & 3))
        writer.u8(0xF8 | UInt8((sps.bitDepthLuma - 8) & 7))
        writer.u8(0xF8 | UInt8((sps.bitDepthChroma - 8) & 7))
        writer.u16(0)
        writer.u8(UInt8(sps.subLayers & 7) << 3 | (sps.isTemporalIDNested ? 4 : 0) | 3)
        var arrays: [Array] = []
        for type in [HEVCUnitType.vps, .sps, .pps] {
            guard let units = lists[type] else { continue }
            arrays.append(Array(type: type.rawValue, isComplete: true, units: units))
        }
        self.init(header: writer.bytes, arrays: arrays)
    }

    /// 0 unknown, 1 slices, 2 tiles, 3 wavefronts; meaningful only with a minimum segmentation.
    ///
    /// - Note: ISO/IEC 14496-15 §8.3.3.1.3.
    private static func parallelism(_ picture: HEVCPictureParameters?, segmentation: UInt32) -> UInt8 {
        guard segmentation > 0, let picture else { return 0 }
        return switch (picture.usesTiles, picture.usesWavefronts) {
        case (true, true): 0
        case (true, false): 2
        case (false, true): 3
        case (false, false): 1
        }
    }

    /// The first sequence parameter set that can be parsed.
    public var sequence: HEVCSequenceParameters? {
        units(of: .sps).lazy.compactMap { HEVCSequenceParameters($0) }.first
    }
}
