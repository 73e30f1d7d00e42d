import SluiceCore

/// What turns the base layer, with what the enhancement layer adds, into the composed picture.
///
/// - Note: US patent 10,701,399 B2 (`rpu_data_mapping`, `rpu_data_nlq`).
struct RPUMapping: Sendable, Hashable {
    /// `vdr_rpu_id`, by which later RPUs name this mapping: 0 to 15.
    var id: UInt32
    /// Luma and the two chroma components.
    var curves: [RPUCurve]
    /// nil where the head disables the residual.
    var residual: RPUResidual?
    /// `num_x_partitions_minus1` and `num_y_partitions_minus1`.
    var partitions: [UInt32]

    /// What leaves the base layer as it is.
    static func identity(_ header: RPUHeader) -> RPUMapping {
        RPUMapping(id: 0, curves: Self.identityCurves(header), residual: nil, partitions: [0, 0])
    }

    static func identityCurves(_ header: RPUHeader) -> [RPUCurve] {
        Array(repeating: .identity(depth: header.baseDepth, header.coefficients), count: 3)
    }
}

extension RPUMapping {
    init(_ reader: inout RPUReader, _ header: RPUHeader) throws(NodeFailure) {
        id = try reader.unsigned("vdr_rpu_id", in: 0...15)
        _ = try reader.unsigned("mapping_color_space", in: 0...0)
        _ = try reader.unsigned("mapping_chroma_format_idc", in: 0...0)
        var pivots: [[UInt32]] = []
        for _ in 0..<3 { pivots.append(try RPUCurve.pivots(&reader, depth: header.baseDepth)) }
        var residual = header.isResidualDisabled ? nil : try RPUResidual(pivots: &reader, header)
        partitions = [
            try reader.unsigned("num_x_partitions_minus1"), try reader.unsigned("num_y_partitions_minus1"),
        ]
        curves = []
        for list in pivots { curves.append(try RPUCurve(&reader, pivots: list, header.coefficients)) }
        try residual?.readComponents(&reader, header)
        self.residual = residual
    }

    func write(to bits: inout BitWriter, _ header: RPUHeader) {
        bits.ue(id)
        bits.ue(0)
        bits.ue(0)
        for curve in curves { curve.writePivots(to: &bits, depth: header.baseDepth) }
        residual?.writePivots(to: &bits, header)
        for partition in partitions { bits.ue(partition) }
        for curve in curves { curve.writePieces(to: &bits, header.coefficients) }
        residual?.writeComponents(to: &bits, header)
    }
}
