import SluiceCore

/// How the samples of the enhancement layer become what is added to the mapped base layer: linear with a dead zone.
///
/// - Note: US patent 10,701,399 B2 (`rpu_data_nlq`); the other method it names, µ-law, has no published fields.
struct RPUResidual: Sendable, Hashable {
    /// The range of base layer codes it applies to: where it starts, and how far it goes from there.
    var pivots: [UInt32]
    /// Luma and the two chroma components.
    var components: [Component]

    struct Component: Sendable, Hashable {
        /// Enhancement layer code that stands for nothing to add.
        var offset: UInt32
        /// Largest sum, as a part of the composed picture's range.
        var maximum: RPUCoefficient
        var slope: RPUCoefficient
        var threshold: RPUCoefficient
    }

    /// What adds nothing: the parameters of a minimal enhancement layer.
    static func minimal(_ header: RPUHeader) -> RPUResidual {
        let zero = RPUCoefficient(0, header.coefficients)
        let component = Component(
            offset: 0, maximum: RPUCoefficient(1, header.coefficients), slope: zero, threshold: zero)
        return RPUResidual(
            pivots: [0, (UInt32(1) << UInt32(header.baseDepth)) - 1],
            components: Array(repeating: component, count: 3))
    }

    /// Whether the enhancement layer has nothing to say. Its range does not matter then.
    func isMinimal(_ header: RPUHeader) -> Bool { components == Self.minimal(header).components }
}

extension RPUResidual {
    /// Method and range, which come before the parameters of the curves.
    init(pivots reader: inout RPUReader, _ header: RPUHeader) throws(NodeFailure) {
        let method = try reader.number(3, "nlq_method_idc")
        guard method == 0 else {
            throw reader.failure("nlq_method_idc is \(method); expected 0, the linear dead zone", .unsupported)
        }
        pivots = [
            try reader.number(header.baseDepth, "nlq_pred_pivot_value"),
            try reader.number(header.baseDepth, "nlq_pred_pivot_value"),
        ]
        components = []
    }

    mutating func readComponents(_ reader: inout RPUReader, _ header: RPUHeader) throws(NodeFailure) {
        for _ in 0..<3 {
            components.append(
                Component(
                    offset: try reader.number(header.enhancementDepth, "nlq_offset"),
                    maximum: try RPUCoefficient(unsigned: &reader, header.coefficients, "vdr_in_max"),
                    slope: try RPUCoefficient(unsigned: &reader, header.coefficients, "linear_deadzone_slope"),
                    threshold: try RPUCoefficient(
                        unsigned: &reader, header.coefficients, "linear_deadzone_threshold")))
        }
    }

    func writePivots(to bits: inout BitWriter, _ header: RPUHeader) {
        bits.u(0, 3)
        for pivot in pivots { bits.u(pivot, header.baseDepth) }
    }

    func writeComponents(to bits: inout BitWriter, _ header: RPUHeader) {
        for component in components {
            bits.u(component.offset, header.enhancementDepth)
            component.maximum.write(unsigned: &bits, header.coefficients)
            component.slope.write(unsigned: &bits, header.coefficients)
            component.threshold.write(unsigned: &bits, header.coefficients)
        }
    }
}
