import SluiceCore

/// Reads the fields of an RPU in order; a field that is cut off or out of range becomes a failure that names it.
///
/// Valid only while the memory behind it is.
struct RPUReader {
    private var bits: BitReader
    private let total: Int

    /// - Parameter bytes: what lies between the prefix byte and the checksum.
    init(_ bytes: UnsafeRawBufferPointer) {
        bits = BitReader(bytes)
        total = bytes.count * 8
    }

    /// Bits not read yet.
    var remaining: Int { total - bits.position }

    /// A number of 0 to 32 bits.
    mutating func number(_ width: Int, _ field: StaticString) throws(NodeFailure) -> UInt32 {
        let start = bits.position
        let value = bits.u(width)
        try check(field, start)
        return value
    }

    /// A number of 0 to 32 bits that must lie in `range`.
    mutating func number(
        _ width: Int, _ field: StaticString, in range: ClosedRange<UInt32>
    ) throws(NodeFailure) -> UInt32 {
        let start = bits.position
        let value = bits.u(width)
        try check(field, start)
        return try limited(value, range, field, start)
    }

    mutating func flag(_ field: StaticString) throws(NodeFailure) -> Bool { try number(1, field) == 1 }

    /// An unsigned exp-Golomb number.
    mutating func unsigned(
        _ field: StaticString, in range: ClosedRange<UInt32> = 0...UInt32.max
    ) throws(NodeFailure) -> UInt32 {
        let start = bits.position
        let value = bits.ue()
        try check(field, start)
        return try limited(value, range, field, start)
    }

    /// A signed exp-Golomb number.
    mutating func signed(_ field: StaticString) throws(NodeFailure) -> Int32 {
        let start = bits.position
        let value = bits.se()
        try check(field, start)
        return value
    }

    /// Moves to the next byte boundary over bits that must be 0.
    mutating func align(_ field: StaticString) throws(NodeFailure) {
        _ = try number((8 - bits.position % 8) % 8, field, in: 0...0)
    }

    /// Whole bytes, wherever the last field ended.
    mutating func bytes(_ count: Int, _ field: StaticString) throws(NodeFailure) -> [UInt8] {
        guard count >= 0, count * 8 <= remaining else {
            throw failure("\(field) of \(count) bytes; expected \(max(remaining, 0) / 8) bytes at most")
        }
        var list: [UInt8] = []
        list.reserveCapacity(count)
        for _ in 0..<count { list.append(UInt8(truncatingIfNeeded: bits.u(8))) }
        return list
    }

    /// A failure at the bit that comes next; bit 0 is the first after the prefix byte.
    func failure(_ text: String, _ code: NodeFailure.Code = .malformedInput) -> NodeFailure {
        NodeFailure(code, "RPU, bit \(bits.position): \(text)")
    }

    private func check(_ field: StaticString, _ start: Int) throws(NodeFailure) {
        guard bits.overran else { return }
        throw NodeFailure(
            .malformedInput, "RPU, bit \(start): \(field) is cut off; expected more than \(total / 8) bytes")
    }

    private func limited(
        _ value: UInt32, _ range: ClosedRange<UInt32>, _ field: StaticString, _ start: Int
    ) throws(NodeFailure) -> UInt32 {
        guard !range.contains(value) else { return value }
        let (first, last) = (range.lowerBound, range.upperBound)
        let expected = first == last ? "\(first)" : "\(first) to \(last)"
        throw NodeFailure(.malformedInput, "RPU, bit \(start): \(field) is \(value); expected \(expected)")
    }
}
