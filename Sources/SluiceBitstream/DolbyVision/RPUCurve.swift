import SluiceCore

/// How one component of the base layer becomes one of the composed picture, in pieces over the range of its codes.
struct RPUCurve: Sendable, Hashable {
    /// Where a piece starts, relative to the start of the one before it, and where the last one ends: one more
    /// than there are pieces, in base layer codes.
    var pivots: [UInt32]
    var pieces: [Piece]

    enum Piece: Sendable, Hashable {
        /// Factors of 1, x and, in second order, x².
        case polynomial([RPUCoefficient])
        /// A constant and, for each of one to three orders, seven factors: of the three components, their products
        /// by twos, and their product.
        case regression(RPUCoefficient, orders: [[RPUCoefficient]])
    }

    /// What leaves its component as it is.
    static func identity(depth: Int, _ form: RPUCoefficient.Form) -> RPUCurve {
        RPUCurve(
            pivots: [0, (UInt32(1) << UInt32(depth)) - 1],
            pieces: [.polynomial([RPUCoefficient(0, form), RPUCoefficient(1, form)])])
    }

    /// Where the pieces start and end, and what the curve makes of that, both as parts of the full code range.
    ///
    /// Empty where a piece mixes components.
    func ends(depth: Int, _ form: RPUCoefficient.Form) -> [(place: Double, value: Double)] {
        let range = Double((UInt64(1) << UInt64(depth)) - 1)
        var list: [(place: Double, value: Double)] = []
        var position = Double(pivots.first ?? 0)
        for (piece, length) in zip(pieces, pivots.dropFirst()) {
            guard case .polynomial(let factors) = piece else { return [] }
            for place in [position / range, (position + Double(length)) / range] {
                list.append((place, factors.reversed().reduce(0) { $0 * place + $1.value(form) }))
            }
            position += Double(length)
        }
        return list
    }
}

extension RPUCurve {
    /// Factors of one order.
    private static let factors = 7

    /// The pivots, which come before the parameters of all components.
    static func pivots(_ reader: inout RPUReader, depth: Int) throws(NodeFailure) -> [UInt32] {
        let count = 2 + Int(try reader.unsigned("num_pivots_minus2", in: 0...7))
        var list: [UInt32] = []
        for _ in 0..<count { list.append(try reader.number(depth, "pred_pivot_value")) }
        return list
    }

    init(_ reader: inout RPUReader, pivots: [UInt32], _ form: RPUCoefficient.Form) throws(NodeFailure) {
        self.pivots = pivots
        pieces = []
        for _ in 1..<max(pivots.count, 2) { pieces.append(try Piece(&reader, form)) }
    }

    func writePivots(to bits: inout BitWriter, depth: Int) {
        bits.ue(UInt32(clamping: pivots.count - 2))
        for pivot in pivots { bits.u(pivot, depth) }
    }

    func writePieces(to bits: inout BitWriter, _ form: RPUCoefficient.Form) {
        for piece in pieces { piece.write(to: &bits, form) }
    }
}

extension RPUCurve.Piece {
    init(_ reader: inout RPUReader, _ form: RPUCoefficient.Form) throws(NodeFailure) {
        if try reader.unsigned("mapping_idc", in: 0...1) == 0 {
            let order = Int(try reader.unsigned("poly_order_minus1", in: 0...1)) + 1
            if order == 1, try reader.flag("linear_interp_flag") {
                throw reader.failure("linear_interp_flag is 1; expected 0: its fields are not published", .unsupported)
            }
            var factors: [RPUCoefficient] = []
            for _ in 0...order { factors.append(try RPUCoefficient(signed: &reader, form, "poly_coef")) }
            self = .polynomial(factors)
        } else {
            let orders = try reader.number(2, "mmr_order_minus1", in: 0...2) + 1
            let constant = try RPUCoefficient(signed: &reader, form, "mmr_constant")
            var list: [[RPUCoefficient]] = []
            for _ in 0..<orders {
                var factors: [RPUCoefficient] = []
                for _ in 0..<RPUCurve.factors {
                    factors.append(try RPUCoefficient(signed: &reader, form, "mmr_coef"))
                }
                list.append(factors)
            }
            self = .regression(constant, orders: list)
        }
    }

    func write(to bits: inout BitWriter, _ form: RPUCoefficient.Form) {
        switch self {
        case .polynomial(let factors):
            bits.ue(0)
            bits.ue(UInt32(clamping: factors.count - 2))
            if factors.count == 2 { bits.flag(false) }
            for factor in factors { factor.write(signed: &bits, form) }
        case .regression(let constant, let orders):
            bits.ue(1)
            bits.u(UInt32(clamping: orders.count - 1), 2)
            constant.write(signed: &bits, form)
            for factor in orders.joined() { factor.write(signed: &bits, form) }
        }
    }
}
