public import SluiceCore

/// An HEVCDecoderConfigurationRecord: the payload of `hvcC`.
///
/// - Note: ISO/IEC 14496-15 §8.3.3.1.
public struct HEVCConfigurationRecord: Sendable, Hashable {
    /// The NAL units of one type.
    public struct Array: Sendable, Hashable {
        /// NAL unit type, 0 to 63.
        public var type: UInt8
        /// Whether all units of the type are here and none in the samples.
        public var isComplete: Bool
        /// Units without start code or length.
        public var units: [[UInt8]]

        public init(type: UInt8, isComplete: Bool, units: [[UInt8]]) {
            self.type = type & 0x3F
            self.isComplete = isComplete
            self.units = units
        }
    }

    /// The 22 bytes before the array count, kept as they are.
    public private(set) var header: [UInt8]
    public var arrays: [Array]

    /// Parses a record.
    ///
    /// Throws `.malformedInput` below 23 bytes, for a version other than 1 (an Annex B blob starts with 0) and where
    /// an array runs past the end.
    public init(_ record: [UInt8]) throws(NodeFailure) {
        guard record.count >= 23, record[0] == 1 else {
            throw NodeFailure(
                .malformedInput, "hvcC of \(record.count) bytes; expected version 1 and 23 bytes or more")
        }
        header = Swift.Array(record[0..<22])
        arrays = []
        let (parsed, complete) = record.withUnsafeBytes { bytes in Self.arrays(in: bytes) }
        guard complete else { throw NodeFailure(.malformedInput, "hvcC: an array runs past byte \(record.count)") }
        arrays = parsed
    }

    /// `header` holds the 22 bytes before the array count; missing bytes are 0.
    init(header: [UInt8], arrays: [Array]) {
        self.header = Swift.Array((header + Swift.Array(repeating: 0, count: 22)).prefix(22))
        self.arrays = arrays
    }

    private static func arrays(in bytes: UnsafeRawBufferPointer) -> ([Array], complete: Bool) {
        var reader = ByteReader(bytes)
        reader.skip(22)
        var list: [Array] = []
        for _ in 0..<reader.u8() {
            let type = reader.u8()
            var units: [[UInt8]] = []
            for _ in 0..<reader.u16() {
                let count = Int(reader.u16())
                units.append(reader.copy(count))
                if reader.overran { return (list, false) }
            }
            if reader.overran { return (list, false) }
            list.append(Array(type: type, isComplete: type & 0x80 != 0, units: units))
        }
        return (list, true)
    }

    /// The record as bytes.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 23 + arrays.reduce(0) { $0 + $1.units.reduce(3) { $0 + 2 + $1.count } })
        writer.raw(header)
        let listed = arrays.prefix(255)
        writer.u8(UInt8(listed.count))
        for array in listed {
            let units = array.units.filter { $0.count <= 65_535 }.prefix(65_535)
            writer.u8((array.isComplete ? 0x80 : 0) | array.type)
            writer.u16(UInt16(units.count))
            for unit in units {
                writer.u16(UInt16(unit.count))
                writer.raw(unit)
            }
        }
        return writer.bytes
    }

    /// Bytes before each NAL unit of a sample: 1, 2 or 4.
    public var lengthSize: Int { Int(header[21] & 3) + 1 }

    /// Units of one type, in order, over all arrays.
    public func units(of type: HEVCUnitType) -> [[UInt8]] {
        arrays.filter { $0.type == type.rawValue }.flatMap(\.units)
    }

    /// The record as `hvc1` needs it: VPS, SPS, PPS arrays only, in that order, one array a type, all complete, and
    /// four-byte lengths stay as declared.
    ///
    /// Throws `.malformedInput` where there is no SPS.
    public func normalized() throws(NodeFailure) -> HEVCConfigurationRecord {
        var list: [Array] = []
        for type in [HEVCUnitType.vps, .sps, .pps] {
            let units = units(of: type).filter { !$0.isEmpty }
            if !units.isEmpty { list.append(Array(type: type.rawValue, isComplete: true, units: units)) }
        }
        guard list.contains(where: { $0.type == HEVCUnitType.sps.rawValue }) else {
            throw NodeFailure(.malformedInput, "hvcC holds no sequence parameter set; expected one or more")
        }
        return HEVCConfigurationRecord(header: header, arrays: list)
    }
}
