import SluiceCore

/// The head of an RPU: how its coefficients are coded and how the two layers relate.
///
/// Only what is known to exist is read: RPU type 2, level 0, with sequence information of the first format. Other
/// heads have other fields behind them.
///
/// - Note: US patent 10,701,399 B2 (`rpu_data_header`); ETSI GS CCM 001 §5; field order and limits as dovi_tool and
///   libavcodec have them.
struct RPUHeader: Sendable, Hashable {
    /// `rpu_format`, 11 bits; 0x700 is clear.
    var format: UInt16
    /// `vdr_rpu_profile`, 4 bits: 0 for profile 5, 1 for profiles with a base layer that can be shown.
    var profile: UInt8
    var hasExplicitChromaFilter: Bool
    var coefficients: RPUCoefficient.Form
    /// `vdr_rpu_normalized_idc`, 2 bits.
    var normalization: UInt8
    /// Whether the base layer uses the whole range of codes.
    var isFullRange: Bool
    /// Bits of a base layer sample: 8 to 16.
    var baseDepth: Int
    /// Bits of an enhancement layer sample: 8 to 16.
    var enhancementDepth: Int
    /// Bits of a sample of the composed picture: 8 to 16.
    var outputDepth: Int
    /// `ext_mapping_idc`, which travels in the bits above the enhancement layer's depth.
    var extendedMapping: UInt8
    var hasSpatialFilter: Bool
    /// `dm_compression`: 0, or 1 where display management leaves out what earlier RPUs said.
    var compression: UInt8
    var hasEnhancementFilter: Bool
    /// Whether the enhancement layer adds nothing; it may still be there.
    var isResidualDisabled: Bool

    /// The head that generated RPUs of profile 8 have.
    static let profile8 = RPUHeader(
        format: 18, profile: 1, hasExplicitChromaFilter: false, coefficients: .fixed(fractionBits: 23),
        normalization: 1, isFullRange: false, baseDepth: 10, enhancementDepth: 10, outputDepth: 12,
        extendedMapping: 0, hasSpatialFilter: false, compression: 0, hasEnhancementFilter: false,
        isResidualDisabled: true)
}

extension RPUHeader {
    init(_ reader: inout RPUReader) throws(NodeFailure) {
        _ = try reader.number(6, "rpu_type", in: 2...2)
        format = UInt16(try reader.number(11, "rpu_format"))
        profile = UInt8(try reader.number(4, "vdr_rpu_profile"))
        _ = try reader.number(4, "vdr_rpu_level", in: 0...0)
        guard try reader.flag("vdr_seq_info_present_flag") else {
            throw reader.failure("no sequence information; expected it in every RPU", .unsupported)
        }
        hasExplicitChromaFilter = try reader.flag("chroma_resampling_explicit_filter_flag")
        coefficients = try RPUCoefficient.Form(&reader)
        normalization = UInt8(try reader.number(2, "vdr_rpu_normalized_idc"))
        isFullRange = try reader.flag("bl_video_full_range_flag")
        guard format & 0x700 == 0 else {
            throw reader.failure("rpu_format is \(format); expected one below 256", .unsupported)
        }
        baseDepth = 8 + Int(try reader.unsigned("bl_bit_depth_minus8", in: 0...8))
        let packed = try reader.unsigned("el_bit_depth_minus8", in: 0...0xFFFF)
        guard packed & 0xFF <= 8 else {
            throw reader.failure("el_bit_depth_minus8 is \(packed & 0xFF); expected 0 to 8")
        }
        enhancementDepth = 8 + Int(packed & 0xFF)
        extendedMapping = UInt8(packed >> 8)
        outputDepth = 8 + Int(try reader.unsigned("vdr_bit_depth_minus8", in: 0...8))
        hasSpatialFilter = try reader.flag("spatial_resampling_filter_flag")
        compression = UInt8(try reader.number(3, "dm_compression", in: 0...1))
        hasEnhancementFilter = try reader.flag("el_spatial_resampling_filter_flag")
        isResidualDisabled = try reader.flag("disable_residual_flag")
    }

    func write(to bits: inout BitWriter) {
        bits.u(2, 6)
        bits.u(UInt32(format), 11)
        bits.u(UInt32(profile), 4)
        bits.u(0, 4)
        bits.flag(true)
        bits.flag(hasExplicitChromaFilter)
        coefficients.write(to: &bits)
        bits.u(UInt32(normalization), 2)
        bits.flag(isFullRange)
        bits.ue(UInt32(clamping: baseDepth - 8))
        bits.ue(UInt32(extendedMapping) << 8 | UInt32(clamping: enhancementDepth - 8))
        bits.ue(UInt32(clamping: outputDepth - 8))
        bits.flag(hasSpatialFilter)
        bits.u(UInt32(compression), 3)
        bits.flag(hasEnhancementFilter)
        bits.flag(isResidualDisabled)
    }
}
