/// The fields of a metadata block of one level and length.
struct RPUMetadataLayout: Sendable, Hashable {
    /// Version of content mapping; each has a list of its own in the RPU.
    enum Version: Sendable, Hashable, CustomStringConvertible {
        case version29
        case version40

        var description: String {
            switch self {
            case .version29: "version 2.9"
            case .version40: "version 4.0"
            }
        }
    }

    struct Field: Sendable {
        let name: StaticString
        /// Bits.
        let width: Int

        init(_ name: StaticString, _ width: Int) {
            self.name = name
            self.width = width
        }
    }

    let level: UInt8
    let version: Version
    let fields: [Field]

    private init(_ level: UInt8, _ version: Version, _ fields: [Field]) {
        self.level = level
        self.version = version
        self.fields = fields
    }

    /// Bytes of the block's payload.
    var length: Int { (bits + 7) / 8 }
    /// Zero bits after the last field.
    var padding: Int { length * 8 - bits }
    private var bits: Int { fields.reduce(0) { $0 + $1.width } }

    /// Layouts of a level, shortest first; empty where the level is unknown.
    static func of(level: UInt8) -> [RPUMetadataLayout] { all[level] ?? [] }

    // A level and a length name one layout.
    static func == (left: Self, right: Self) -> Bool { left.level == right.level && left.length == right.length }

    func hash(into hasher: inout Hasher) {
        hasher.combine(level)
        hasher.combine(length)
    }
}

// Levels, fields and widths as dovi_tool and libavcodec have them. PQ values are codes of 12 bits, trims are centred
// on 2048, offsets of the active area count luma samples, luminances of level 6 cd/m² (the minimum 0.0001 cd/m²), and
// chromaticities steps of 1/32767.
extension RPUMetadataLayout {
    private static let trims = [
        Field("trim_slope", 12), Field("trim_offset", 12), Field("trim_power", 12), Field("trim_chroma_weight", 12),
        Field("trim_saturation_gain", 12),
    ]
    private static let level8 =
        [Field("target_display_index", 8)] + trims + [Field("ms_weight", 12)]
    private static let level8Trims = level8 + [Field("target_mid_contrast", 12), Field("clip_trim", 12)]
    private static let level8Saturation = level8Trims + Array(repeating: Field("saturation_vector_field", 8), count: 6)
    private static let primaries = [
        Field("red_x", 16), Field("red_y", 16), Field("green_x", 16), Field("green_y", 16), Field("blue_x", 16),
        Field("blue_y", 16), Field("white_x", 16), Field("white_y", 16),
    ]
    private static let level10 = [
        Field("target_display_index", 8), Field("target_max_pq", 12), Field("target_min_pq", 12),
        Field("target_primary_index", 8),
    ]

    private static let all = Dictionary(
        grouping: [
            RPUMetadataLayout(1, .version29, [Field("min_pq", 12), Field("max_pq", 12), Field("avg_pq", 12)]),
            // -1 in 13 bits stands for a weight that is not set.
            RPUMetadataLayout(2, .version29, [Field("target_max_pq", 12)] + trims + [Field("ms_weight", 13)]),
            RPUMetadataLayout(
                3, .version40,
                [Field("min_pq_offset", 12), Field("max_pq_offset", 12), Field("avg_pq_offset", 12)]),
            RPUMetadataLayout(4, .version29, [Field("anchor_pq", 12), Field("anchor_power", 12)]),
            RPUMetadataLayout(
                5, .version29,
                [
                    Field("left_offset", 13), Field("right_offset", 13), Field("top_offset", 13),
                    Field("bottom_offset", 13),
                ]),
            RPUMetadataLayout(
                6, .version29,
                [
                    Field("max_luminance", 16), Field("min_luminance", 16), Field("max_cll", 16),
                    Field("max_fall", 16),
                ]),
            RPUMetadataLayout(8, .version40, level8),
            RPUMetadataLayout(8, .version40, level8 + [Field("target_mid_contrast", 12)]),
            RPUMetadataLayout(8, .version40, level8Trims),
            RPUMetadataLayout(8, .version40, level8Saturation),
            RPUMetadataLayout(
                8, .version40, level8Saturation + Array(repeating: Field("hue_vector_field", 8), count: 6)),
            RPUMetadataLayout(9, .version40, [Field("source_primary_index", 8)]),
            RPUMetadataLayout(9, .version40, [Field("source_primary_index", 8)] + primaries),
            RPUMetadataLayout(10, .version40, level10),
            RPUMetadataLayout(10, .version40, level10 + primaries),
            RPUMetadataLayout(
                11, .version40,
                [
                    Field("content_type", 4), Field("content_sub_type", 4), Field("whitepoint", 4),
                    Field("reference_mode_flag", 1), Field("reserved", 3), Field("sharpness", 2),
                    Field("noise_reduction", 2), Field("mpeg_noise_reduction", 2),
                    Field("frame_rate_conversion", 2), Field("brightness", 2), Field("color", 2),
                    Field("reserved", 4),
                ]),
            RPUMetadataLayout(254, .version40, [Field("dm_mode", 8), Field("dm_version_index", 8)]),
            RPUMetadataLayout(
                255, .version29,
                [
                    Field("dm_run_mode", 8), Field("dm_run_version", 8), Field("dm_debug0", 8),
                    Field("dm_debug1", 8), Field("dm_debug2", 8), Field("dm_debug3", 8),
                ]),
        ], by: \.level)
}
