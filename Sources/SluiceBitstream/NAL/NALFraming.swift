public import SluiceCore

/// How NAL units are told apart inside a sample.
public enum NALFraming: Sendable, Hashable {
    case annexB
    /// Bytes of each length: 1 to 4.
    case lengthPrefixed(Int)

    /// Measures a sample by walking it; nil where neither framing fits.
    ///
    /// Lengths are tried first: a unit of 256 to 511 bytes has a length that looks like a start code. Where both fit,
    /// the bytes tell: inside units there are no start codes, so that more of them than lengths cannot be lengths.
    public static func measure(_ bytes: UnsafeRawBufferPointer, lengthSize: Int = 4) -> NALFraming? {
        let hasStartCode = AnnexBUnits.hasStartCode(bytes)
        guard LengthPrefixedUnits.fills(bytes, lengthSize: lengthSize) else { return hasStartCode ? .annexB : nil }
        guard hasStartCode else { return .lengthPrefixed(lengthSize) }
        let lengths = LengthPrefixedUnits(bytes, lengthSize: lengthSize).reduce(0) { count, _ in count + 1 }
        let codes = AnnexBUnits(bytes).reduce(0) { count, _ in count + 1 }
        return codes > lengths ? .annexB : .lengthPrefixed(lengthSize)
    }

    /// What comes before a unit of `count` bytes: a start code of four bytes, or its length, most significant byte first.
    public func lead(_ count: Int) -> [UInt8] {
        switch self {
        case .annexB: return [0, 0, 0, 1]
        case .lengthPrefixed(let size):
            let length = UInt32(clamping: count)
            return (0..<UInt32(size)).reversed().map { UInt8(truncatingIfNeeded: length >> ($0 * 8)) }
        }
    }

    /// Ranges of the units of a sample, as far as they are whole.
    public func units(of bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        switch self {
        case .annexB: Array(AnnexBUnits(bytes))
        case .lengthPrefixed(let size): Array(LengthPrefixedUnits(bytes, lengthSize: size))
        }
    }
}

extension ByteChunk {
    /// The units of a sample behind four-byte lengths; unit bytes stay where they are.
    ///
    /// - Parameter keep: takes a unit's first byte; units it declines are left out.
    /// - Returns: lengths and units in turn; empty where no unit is kept.
    public func lengthPrefixed(from framing: NALFraming, keep: (UInt8) -> Bool = { _ in true }) -> [ByteChunk] {
        var units: [Range<Int>] = []
        var lengths: [UInt8] = []
        withUnsafeBytes { bytes in
            func take(_ unit: Range<Int>) {
                guard keep(bytes[unit.lowerBound]) else { return }
                units.append(unit)
                let length = UInt32(clamping: unit.count)
                for shift in [24, 16, 8, 0] as [UInt32] { lengths.append(UInt8(truncatingIfNeeded: length >> shift)) }
            }
            switch framing {
            case .annexB: for unit in AnnexBUnits(bytes) { take(unit) }
            case .lengthPrefixed(let size): for unit in LengthPrefixedUnits(bytes, lengthSize: size) { take(unit) }
            }
        }
        var chunks: [ByteChunk] = []
        chunks.reserveCapacity(units.count * 2)
        for (index, unit) in units.enumerated() {
            chunks.append(ByteChunk(lengths, (index * 4)..<(index * 4 + 4)))
            chunks.append(
                ByteChunk(storage, (range.lowerBound + unit.lowerBound)..<(range.lowerBound + unit.upperBound)))
        }
        return chunks
    }
}
