import SluiceBitstream

/// The NAL units of a sample that come before its first slice, and where that slice is. Slice data is not walked.
struct AccessUnitHead {
    /// Ranges of the units before the first slice.
    private(set) var units: [Range<Int>] = []
    /// First byte of the first slice's unit; nil where there is none.
    private(set) var slice: Int?

    /// Units that are looked at before a sample counts as having no slice.
    static let unitLimit = 64

    init(_ bytes: UnsafeRawBufferPointer, framing: NALFraming, isSlice: (UInt8) -> Bool) {
        switch framing {
        case .lengthPrefixed(let size): walkLengths(bytes, size, isSlice)
        case .annexB: walkStartCodes(bytes, isSlice)
        }
    }

    private mutating func walkLengths(_ bytes: UnsafeRawBufferPointer, _ size: Int, _ isSlice: (UInt8) -> Bool) {
        var walk = LengthPrefixedUnits(bytes, lengthSize: size)
        while units.count < Self.unitLimit, let unit = walk.next() {
            if isSlice(bytes[unit.lowerBound]) {
                slice = unit.lowerBound
                return
            }
            units.append(unit)
        }
        // A slice that is cut off still says what it is.
        let begin = walk.offset + size
        if begin < bytes.count, isSlice(bytes[begin]) { slice = begin }
    }

    private mutating func walkStartCodes(_ bytes: UnsafeRawBufferPointer, _ isSlice: (UInt8) -> Bool) {
        var begin = Self.afterStartCode(bytes, from: 0)
        while let start = begin, start < bytes.count, units.count < Self.unitLimit {
            if isSlice(bytes[start]) {
                slice = start
                return
            }
            let next = Self.afterStartCode(bytes, from: start)
            var end = next.map { $0 - 3 } ?? bytes.count
            while end > start, bytes[end - 1] == 0 { end -= 1 }
            if end > start { units.append(start..<end) }
            begin = next
        }
    }

    /// First byte after the next 00 00 01.
    private static func afterStartCode(_ bytes: UnsafeRawBufferPointer, from: Int) -> Int? {
        var index = from + 2
        while index < bytes.count {
            let byte = bytes[index]
            if byte > 1 {
                index += 3
            } else if byte == 0 {
                index += 1
            } else if bytes[index - 1] == 0, bytes[index - 2] == 0 {
                return index + 1
            } else {
                index += 3
            }
        }
        return nil
    }
}
