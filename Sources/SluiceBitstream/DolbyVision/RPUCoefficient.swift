import SluiceCore

/// A factor of a mapping, as it is coded: nothing is lost between reading and writing.
struct RPUCoefficient: Sendable, Hashable {
    /// How the coefficients of an RPU are coded.
    enum Form: Sendable, Hashable {
        /// A whole part and `fractionBits` bits (0 to 32) of a fraction that is always added.
        case fixed(fractionBits: Int)
        /// IEEE 754, 32 bits.
        case float
    }

    /// Whole part; 0 where the form is ``Form/float``.
    var whole: Int32
    /// Fraction, or the bits of the floating-point number.
    var fraction: UInt32

    init(whole: Int32, fraction: UInt32) {
        self.whole = whole
        self.fraction = fraction
    }

    /// A whole number in either form.
    init(_ whole: Int32, _ form: Form) {
        switch form {
        case .fixed: self.init(whole: whole, fraction: 0)
        case .float: self.init(whole: 0, fraction: Float(whole).bitPattern)
        }
    }

    func value(_ form: Form) -> Double {
        switch form {
        case .fixed(let bits): Double(whole) + Double(fraction) / Double(UInt64(1) << UInt64(bits))
        case .float: Double(Float(bitPattern: fraction))
        }
    }
}

extension RPUCoefficient {
    init(signed reader: inout RPUReader, _ form: Form, _ field: StaticString) throws(NodeFailure) {
        switch form {
        case .fixed(let bits):
            whole = try reader.signed(field)
            fraction = try reader.number(bits, field)
        case .float:
            whole = 0
            fraction = try reader.number(32, field)
        }
    }

    init(unsigned reader: inout RPUReader, _ form: Form, _ field: StaticString) throws(NodeFailure) {
        switch form {
        case .fixed(let bits):
            whole = Int32(try reader.unsigned(field, in: 0...UInt32(Int32.max)))
            fraction = try reader.number(bits, field)
        case .float:
            whole = 0
            fraction = try reader.number(32, field)
        }
    }

    func write(signed bits: inout BitWriter, _ form: Form) {
        if case .fixed = form { bits.se(whole) }
        bits.u(fraction, form.fractionBits)
    }

    func write(unsigned bits: inout BitWriter, _ form: Form) {
        if case .fixed = form { bits.ue(UInt32(clamping: whole)) }
        bits.u(fraction, form.fractionBits)
    }
}

extension RPUCoefficient.Form {
    init(_ reader: inout RPUReader) throws(NodeFailure) {
        if try reader.number(2, "coefficient_data_type", in: 0...1) == 1 {
            self = .float
        } else {
            self = .fixed(fractionBits: Int(try reader.unsigned("coefficient_log2_denom", in: 0...32)))
        }
    }

    func write(to bits: inout BitWriter) {
        switch self {
        case .fixed(let fraction):
            bits.u(0, 2)
            bits.ue(UInt32(clamping: fraction))
        case .float: bits.u(1, 2)
        }
    }

    fileprivate var fractionBits: Int {
        switch self {
        case .fixed(let bits): bits
        case .float: 32
        }
    }
}
