/// A Dolby Vision reference processing unit: what a decoder needs, for one picture, beside the coded layers.
///
/// Everything that is read is kept, so that what is written is the same to the last bit; only zeros after the end and
/// the last byte's padding in AV1 are normalized.
///
/// - Note: US patent 10,701,399 B2; ETSI TS 103 572; field order as dovi_tool and libavcodec have it.
public struct DolbyVisionRPU: Sendable, Hashable {
    /// Where the curves come from.
    enum MappingSource: Sendable, Hashable {
        /// Those of the last RPU with this `vdr_rpu_id`: 0 to 15.
        case previous(UInt32)
        case coded(RPUMapping)
    }

    var header: RPUHeader
    var source: MappingSource
    /// nil where the RPU says nothing about displays.
    var display: RPUDisplay?
    /// Bytes between the last known field and the checksum.
    var remainder: [UInt8] = []

    /// First byte of an RPU outside of AV1.
    static let prefix: UInt8 = 0x19
    /// Last byte.
    static let terminator: UInt8 = 0x80
    /// `nal_unit_header` of HEVC type 62 in layer 0; AVC's type 28 comes with the same two bytes.
    static let unitHeader: [UInt8] = [0x7C, 0x01]

    init(header: RPUHeader, source: MappingSource, display: RPUDisplay?) {
        self.header = header
        self.source = source
        self.display = display
    }

    /// The curves, where the RPU has its own.
    var mapping: RPUMapping? {
        guard case .coded(let mapping) = source else { return nil }
        return mapping
    }

    /// nil where the RPU is of no published profile.
    public var profile: DolbyVisionProfile? { DolbyVisionProfile(header, mapping) }

    /// Whether the picture is the first of a scene.
    public var isSceneRefresh: Bool { display.map { $0.sceneRefresh != 0 } ?? false }

    /// Levels of the metadata blocks, as they are coded; a level may come several times.
    public var levels: [UInt8] {
        guard let display else { return [] }
        return (display.blocks + (display.extendedBlocks ?? [])).map(\.level)
    }
}
