import SluiceCore

/// Display management: how the composed picture is to be brought to a display.
///
/// - Note: US patent 10,701,399 B2 (`vdr_dm_data_payload`); ETSI GS CCM 001 §6.
struct RPUDisplay: Sendable, Hashable {
    /// `affected_dm_metadata_id` and `current_dm_metadata_id`: 0 to 15.
    var affectedID: UInt32
    var currentID: UInt32
    /// `scene_refresh_flag`: other than 0 at the first picture of a scene.
    var sceneRefresh: UInt32
    /// nil where the head says that it is what earlier RPUs said.
    var signal: RPUSignal?
    /// Blocks of content mapping version 2.9.
    var blocks: [RPUMetadataBlock]
    /// Blocks of content mapping version 4.0; nil where the RPU ends before them.
    var extendedBlocks: [RPUMetadataBlock]?

    /// Bits from which on a second list follows the first: the shortest block that version 4.0 is said to need.
    static let extendedMinimum = 16
}

extension RPUDisplay {
    init(_ reader: inout RPUReader, _ header: RPUHeader) throws(NodeFailure) {
        affectedID = try reader.unsigned("affected_dm_metadata_id", in: 0...15)
        currentID = try reader.unsigned("current_dm_metadata_id", in: 0...15)
        sceneRefresh = try reader.unsigned("scene_refresh_flag")
        signal = header.compression == 0 ? try RPUSignal(&reader) : nil
        blocks = try RPUMetadataBlock.list(&reader, .version29)
        if reader.remaining >= Self.extendedMinimum {
            extendedBlocks = try RPUMetadataBlock.list(&reader, .version40)
        }
    }

    func write(to bits: inout BitWriter) {
        bits.ue(affectedID)
        bits.ue(currentID)
        bits.ue(sceneRefresh)
        signal?.write(to: &bits)
        RPUMetadataBlock.write(blocks, to: &bits)
        if let extendedBlocks { RPUMetadataBlock.write(extendedBlocks, to: &bits) }
    }
}

/// What the composed picture's samples mean, and the display it was graded on.
struct RPUSignal: Sendable, Hashable {
    /// YCbCr to RGB, row by row, in steps of 2⁻¹³.
    var toRGB: [Int16]
    /// Taken off the components before that, in steps of 2⁻²⁸ (2⁻³⁰ in profile 4).
    var offsets: [UInt32]
    /// RGB to LMS, row by row, in steps of 2⁻¹⁴.
    var toLMS: [Int16]
    var transfer: UInt16
    var transferParameters: [UInt32]
    /// Bits of a sample: 8 to 16.
    var depth: UInt8
    /// 0 YCbCr, 1 RGB, 2 IPT.
    var colorSpace: UInt8
    var chromaFormat: UInt8
    var fullRange: UInt8
    /// PQ codes of 12 bits.
    var minimumPQ: UInt16
    var maximumPQ: UInt16
    /// Inches.
    var diagonal: UInt16

    /// Makes it a signal of BT.2020 YCbCr in limited range, as profile 8.1 has it.
    ///
    /// - Note: BT.2020 non-constant luminance and its primaries to LMS; the numbers are those of every encoder.
    mutating func setCompatible() {
        toRGB = [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0]
        offsets = [1 << 24, 1 << 27, 1 << 27]
        toLMS = [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962]
        colorSpace = 0
    }

    /// Bits of the three parameters of the transfer function.
    private static let parameterWidths = [16, 16, 32]
}

extension RPUSignal {
    init(_ reader: inout RPUReader) throws(NodeFailure) {
        toRGB = try Self.matrix(&reader, "ycc_to_rgb_coef")
        offsets = []
        for _ in 0..<3 { offsets.append(try reader.number(32, "ycc_to_rgb_offset")) }
        toLMS = try Self.matrix(&reader, "rgb_to_lms_coef")
        transfer = UInt16(try reader.number(16, "signal_eotf"))
        transferParameters = []
        for width in Self.parameterWidths {
            transferParameters.append(try reader.number(width, "signal_eotf_param"))
        }
        depth = UInt8(try reader.number(5, "signal_bit_depth", in: 8...16))
        colorSpace = UInt8(try reader.number(2, "signal_color_space"))
        chromaFormat = UInt8(try reader.number(2, "signal_chroma_format"))
        fullRange = UInt8(try reader.number(2, "signal_full_range_flag"))
        minimumPQ = UInt16(try reader.number(12, "source_min_pq"))
        maximumPQ = UInt16(try reader.number(12, "source_max_pq"))
        diagonal = UInt16(try reader.number(10, "source_diagonal"))
    }

    private static func matrix(_ reader: inout RPUReader, _ field: StaticString) throws(NodeFailure) -> [Int16] {
        var list: [Int16] = []
        for _ in 0..<9 { list.append(Int16(truncatingIfNeeded: try reader.number(16, field))) }
        return list
    }

    func write(to bits: inout BitWriter) {
        for factor in toRGB { bits.u(UInt32(UInt16(bitPattern: factor)), 16) }
        for offset in offsets { bits.u(offset, 32) }
        for factor in toLMS { bits.u(UInt32(UInt16(bitPattern: factor)), 16) }
        bits.u(UInt32(transfer), 16)
        for (value, width) in zip(transferParameters, Self.parameterWidths) { bits.u(value, width) }
        bits.u(UInt32(depth), 5)
        bits.u(UInt32(colorSpace), 2)
        bits.u(UInt32(chromaFormat), 2)
        bits.u(UInt32(fullRange), 2)
        bits.u(UInt32(minimumPQ), 12)
        bits.u(UInt32(maximumPQ), 12)
        bits.u(UInt32(diagonal), 10)
    }
}
