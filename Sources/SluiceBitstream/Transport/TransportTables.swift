/// Follows the program tables of a transport stream: which elementary streams its programs have, and from where on.
///
/// Bounded: 64 programs, 64 streams a program, 256 changes; what goes beyond is left out.
///
/// - Note: ISO/IEC 13818-1 §2.4.3 and §2.4.4.
package struct TransportTables: Sendable {
    /// What the programs are from a place on.
    package struct Change: Sendable, Hashable {
        /// Byte offset of the table that says it.
        package var position: Int64
        /// Byte offset of the association table before it: a demultiplexer that begins there knows all of this.
        package var start: Int64
        /// In the order of their numbers.
        package var programs: [TransportProgram]
    }

    static let programLimit = 64
    static let changeLimit = 256
    /// Bytes of a section with program tables at most.
    static let sectionLimit = 1_024

    /// In order; the first one is what the stream begins with.
    package private(set) var changes: [Change] = []
    private let stride: Int
    /// Program numbers by the identifier of their tables.
    private var maps: [Int: Int] = [:]
    private var programs: [Int: TransportProgram] = [:]
    private var associationStart: Int64 = 0
    /// Sections that are not complete, by identifier.
    private var open: [Int: [UInt8]] = [:]

    /// - Parameter head: the first bytes of the stream; 1,024 are enough.
    /// - Returns: nil where they are no transport stream.
    package init?(head: UnsafeRawBufferPointer) {
        let found = [188, 192, 204].first { stride in
            (0..<min(stride, head.count)).contains { first in
                first + 4 * stride < head.count && (0...4).allSatisfy { head[first + $0 * stride] == 0x47 }
            }
        }
        guard let found else { return nil }
        stride = found
    }

    /// Takes the stream block by block, in order.
    ///
    /// - Parameter position: byte offset of the block.
    /// - Returns: bytes that were looked at; the next block begins behind them.
    package mutating func take(_ block: UnsafeRawBufferPointer, at position: Int64) -> Int {
        var place = 0
        while place + stride <= block.count {
            guard block[place] == 0x47 else {
                place += 1
                continue
            }
            let next = place + stride
            // A byte that looks like the start of a packet is one where the next packet follows.
            guard next == block.count || block[next] == 0x47 else {
                place += 1
                continue
            }
            let number = Int(block[place + 1] & 0x1F) << 8 | Int(block[place + 2])
            if number == 0 || maps[number] != nil {
                // The time stamp of a packet of 192 bytes lies before it.
                let start = position &+ Int64(stride == 192 ? max(0, place - 4) : place)
                packet(UnsafeRawBufferPointer(rebasing: block[place..<(place + 188)]), number, at: start)
            }
            place = next
        }
        return place
    }

    // MARK: - Private

    private mutating func packet(_ bytes: UnsafeRawBufferPointer, _ number: Int, at position: Int64) {
        let (isDamaged, isStart, control) = (bytes[1] & 0x80 != 0, bytes[1] & 0x40 != 0, bytes[3] >> 4 & 3)
        guard !isDamaged, control & 1 != 0 else { return }
        var offset = control & 2 != 0 ? 5 + Int(bytes[4]) : 4
        guard offset < bytes.count else { return }
        if isStart {
            let first = offset + 1 + Int(bytes[offset])
            guard first <= bytes.count else { return }
            if open[number] != nil { append(bytes[(offset + 1)..<first], number, at: position) }
            open[number] = []
            offset = first
        }
        append(bytes[offset...], number, at: position)
    }

    private mutating func append(_ bytes: Slice<UnsafeRawBufferPointer>, _ number: Int, at position: Int64) {
        guard var section = open[number] else { return }
        section += bytes
        // Several sections may follow each other; stuffing fills the rest of a packet.
        while section.count >= 3, section[0] != 0xFF {
            let length = 3 + Int(section[1] & 0x0F) << 8 + Int(section[2])
            guard length <= Self.sectionLimit else {
                section = []
                break
            }
            guard section.count >= length else { break }
            take(section: Array(section.prefix(length)), number, at: position)
            section.removeFirst(length)
        }
        open[number] = section.isEmpty || section[0] == 0xFF ? nil : section
    }

    private mutating func take(section: [UInt8], _ number: Int, at position: Int64) {
        // Long form, holding now, and whole: the remainder over a section with its checksum is zero.
        guard section.count >= 12, section[1] & 0x80 != 0, section[5] & 1 != 0, MPEG2Checksum.of(section) == 0 else {
            return
        }
        switch section[0] {
        case 0 where number == 0: associate(section, at: position)
        case 2: map(section, number, at: position)
        default: break
        }
    }

    private mutating func associate(_ section: [UInt8], at position: Int64) {
        associationStart = position
        var found: [Int: Int] = [:]
        for place in stride(from: 8, to: section.count - 7, by: 4) where found.count < Self.programLimit {
            let program = Int(section[place]) << 8 | Int(section[place + 1])
            if program != 0 { found[Int(section[place + 2] & 0x1F) << 8 | Int(section[place + 3])] = program }
        }
        maps = found
        let listed = Set(found.values)
        programs = programs.filter { listed.contains($0.key) }
    }

    private mutating func map(_ section: [UInt8], _ number: Int, at position: Int64) {
        guard let program = TransportProgram(section), maps[number] == program.number,
            programs[program.number] != program
        else { return }
        programs[program.number] = program
        let list = programs.values.sorted { $0.number < $1.number }
        guard changes.last?.programs != list, changes.count < Self.changeLimit else { return }
        changes.append(Change(position: position, start: min(associationStart, position), programs: list))
    }

    private func stride(from first: Int, to last: Int, by step: Int) -> StrideTo<Int> {
        Swift.stride(from: first, to: last, by: step)
    }
}
