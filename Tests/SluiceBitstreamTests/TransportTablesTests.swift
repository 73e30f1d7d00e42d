import Testing

@testable import SluiceBitstream

/// Program tables of transport streams, packet by packet.
@Suite struct TransportTablesTests {
    /// A section with its checksum.
    private func section(_ id: UInt8, _ number: Int, _ body: [UInt8]) -> [UInt8] {
        let length = body.count + 9
        let head: [UInt8] = [
            id, 0xB0 | UInt8(length >> 8), UInt8(length & 0xFF), UInt8(number >> 8), UInt8(number & 0xFF), 0xC1, 0, 0,
        ]
        let sum = MPEG2Checksum.of(head + body)
        return head + body + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
    }

    /// Packets of 188 bytes that carry a section.
    private func packets(_ identifier: Int, _ section: [UInt8]) -> [UInt8] {
        var (rest, list, isFirst) = ([0] + section, [UInt8](), true)
        while !rest.isEmpty {
            let head: [UInt8] = [
                0x47, (isFirst ? 0x40 : 0) | UInt8(identifier >> 8), UInt8(identifier & 0xFF), 0x10,
            ]
            let payload = rest.prefix(184)
            list += head + payload + [UInt8](repeating: 0xFF, count: 184 - payload.count)
            rest.removeFirst(payload.count)
            isFirst = false
        }
        return list
    }

    private func association(_ program: Int, _ map: Int) -> [UInt8] {
        packets(
            0,
            section(
                0, 1,
                [UInt8(program >> 8), UInt8(program & 0xFF), 0xE0 | UInt8(map >> 8), UInt8(map & 0xFF)]))
    }

    private func map(_ program: Int, _ identifier: Int, _ streams: [(UInt8, Int, [UInt8])]) -> [UInt8] {
        var body: [UInt8] = [0xE1, 0, 0xF0, 0]
        for (type, number, descriptors) in streams {
            body += [type, 0xE0 | UInt8(number >> 8), UInt8(number & 0xFF), 0xF0, UInt8(descriptors.count)]
            body += descriptors
        }
        return packets(identifier, section(2, program, body))
    }

    private func media(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in [0x47, 1, 0, 0x10] + [UInt8](repeating: 0x47, count: 184) }
    }

    private func changes(_ bytes: [UInt8], block: Int = 1 << 20) throws -> [TransportTables.Change] {
        var tables = try #require(bytes.withUnsafeBytes { TransportTables(head: $0) })
        var place = 0
        while place < bytes.count {
            let taken = bytes[place..<min(bytes.count, place + block)].withUnsafeBytes {
                tables.take($0, at: Int64(place))
            }
            guard taken > 0 else { break }
            place += taken
        }
        return tables.changes
    }

    @Test(arguments: [188 * 3 + 1, 1 << 20]) func streamsAreListedFromWhereTheirTableLies(block: Int) throws {
        let first = association(1, 0x1000) + map(1, 0x1000, [(0x1B, 0x100, []), (0x81, 0x101, [])]) + media(4)
        let second = association(2, 0x1001) + map(2, 0x1001, [(0x24, 0x200, []), (6, 0x201, [0x7A, 0])]) + media(4)
        let found = try changes(first + first + second, block: block)
        #expect(found.count == 2)
        #expect(found.map(\.start) == [0, Int64(first.count * 2)])
        #expect(found.map(\.position) == [188, Int64(first.count * 2 + 188)])
        let numbers = found.map { $0.programs.map { $0.streams.map(\.number) } }
        #expect(numbers == [[[0x100, 0x101]], [[0x200, 0x201]]])
        let media = found[1].programs[0].streams.count { $0.isMedia }
        #expect(media == 2)
    }

    @Test func longAndDamagedTables() throws {
        let streams = (0..<50).map { (UInt8(0x0F), 0x100 + $0, [UInt8](repeating: 9, count: 4)) }
        let table = map(1, 0x1000, streams)
        #expect(table.count == 188 * 3)
        var damaged = map(1, 0x1000, [(0x1B, 0x300, [])])
        damaged[20] ^= 1
        let bytes = association(1, 0x1000) + table + damaged + media(4)
        let found = try changes(bytes)
        #expect(found.count == 1 && found[0].programs[0].streams.count == 50)
    }

    /// Where bytes are missing the packets are found again.
    @Test func packetsAreFoundAgain() throws {
        let first = association(1, 0x1000) + map(1, 0x1000, [(0x1B, 0x100, [])]) + media(6)
        let found = try changes(first + media(1).dropLast(88) + map(1, 0x1000, [(0x1B, 0x200, [])]) + media(4))
        #expect(found.count == 2)
    }

    @Test func otherBytesAreNoTransportStream() {
        let bytes = [UInt8](repeating: 0x46, count: 2_000)
        let tables = bytes.withUnsafeBytes { TransportTables(head: $0) }
        #expect(tables == nil)
    }
}
