/// The elementary streams of a program, as its table lists them.
///
/// - Note: ISO/IEC 13818-1 §2.4.4.9 (program map section).
package struct TransportProgram: Sendable, Hashable {
    package struct Stream: Sendable, Hashable {
        /// Packet identifier.
        package var number: Int
        /// Type, and the descriptors that say more about the coding: what is equal is coded alike.
        package var coding: [UInt8]

        /// Whether it carries pictures or sound, as far as the table says.
        package var isMedia: Bool {
            guard let type = coding.first else { return false }
            return TransportProgram.mediaTypes.contains(type) || (type == 6 && coding.count > 1)
        }

        /// Whether it may: private data may be sound that only its bytes name.
        package var mayBeMedia: Bool { isMedia || coding.first == 6 }

        package init(number: Int, coding: [UInt8]) {
            self.number = number
            self.coding = coding
        }
    }

    static let streamLimit = 64
    /// Pictures and sound of MPEG, ATSC and Blu-ray.
    private static let mediaTypes: Set<UInt8> = [
        0x01, 0x02, 0x03, 0x04, 0x0F, 0x10, 0x11, 0x1B, 0x1C, 0x20, 0x21, 0x24, 0x2D, 0x33, 0x42, 0x80, 0x81, 0x82,
        0x83, 0x84, 0x85, 0x87, 0xA1, 0xD1, 0xD2, 0xEA,
    ]
    /// AC-3, enhanced AC-3, DTS, AAC and what only an extension names.
    private static let soundTags: Set<UInt8> = [0x6A, 0x7A, 0x7B, 0x7C]
    private static let registrationTag: UInt8 = 5

    package var number: Int
    package var streams: [Stream]

    package init(number: Int, streams: [Stream]) {
        self.number = number
        self.streams = streams
    }

    /// - Parameter section: a whole program map section; nil where its lengths do not fit it.
    init?(_ section: [UInt8]) {
        guard section.count >= 16, section[0] == 2 else { return nil }
        number = Int(section[3]) << 8 | Int(section[4])
        streams = []
        let end = section.count - 4
        var place = 12 + Int(section[10] & 0x0F) << 8 + Int(section[11])
        while place + 5 <= end, streams.count < Self.streamLimit {
            let length = Int(section[place + 3] & 0x0F) << 8 | Int(section[place + 4])
            guard place + 5 + length <= end else { return nil }
            let number = Int(section[place + 1] & 0x1F) << 8 | Int(section[place + 2])
            let coding = [section[place]] + Self.coding(section[(place + 5)..<(place + 5 + length)])
            streams.append(Stream(number: number, coding: coding))
            place += 5 + length
        }
        guard place <= end else { return nil }
    }

    /// The tags that name a coding, and the four characters of a registration.
    private static func coding(_ descriptors: ArraySlice<UInt8>) -> [UInt8] {
        var list: [UInt8] = []
        var rest = descriptors
        while rest.count >= 2 {
            let (tag, length) = (rest[rest.startIndex], Int(rest[rest.startIndex + 1]))
            let body = rest.dropFirst(2).prefix(length)
            if soundTags.contains(tag) { list.append(tag) }
            if tag == registrationTag { list += [tag] + body.prefix(4) }
            rest = rest.dropFirst(2 + length)
        }
        return list
    }
}
