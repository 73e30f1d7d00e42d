/// Finds out how the text of a subtitle file is encoded. Pure.
package enum TextDecoding {
    package enum Encoding: String, Sendable, Hashable, CaseIterable {
        case utf8, utf16LittleEndian, utf16BigEndian, windows1251, windows1252
    }

    /// What the bytes most likely are.
    ///
    /// A byte order mark decides; then zeros at every second place; then whether they are valid UTF-8; of the legacy
    /// encodings, Cyrillic where letters of its range outnumber those that Western languages use.
    package static func encoding(of bytes: [UInt8]) -> Encoding {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return .utf8 }
        if bytes.starts(with: [0xFF, 0xFE]) { return .utf16LittleEndian }
        if bytes.starts(with: [0xFE, 0xFF]) { return .utf16BigEndian }
        let sample = bytes.prefix(64 << 10)
        if sample.count >= 8 {
            let odd = stride(from: 1, to: sample.count, by: 2).count { sample[$0] == 0 }
            let even = stride(from: 0, to: sample.count, by: 2).count { sample[$0] == 0 }
            if odd * 4 > sample.count, even * 16 < sample.count { return .utf16LittleEndian }
            if even * 4 > sample.count, odd * 16 < sample.count { return .utf16BigEndian }
        }
        if String(validating: bytes, as: UTF8.self) != nil { return .utf8 }
        // Words of letters above 0xC0 in a row are Cyrillic; in Western texts an accented letter stands alone.
        var runs = 0
        var alone = 0
        var length = 0
        for byte in sample {
            if byte >= 0xC0 || byte == 0xA8 || byte == 0xB8 {
                length += 1
            } else {
                if length == 1 { alone += 1 } else if length > 1 { runs += length }
                length = 0
            }
        }
        return runs > alone * 2 ? .windows1251 : .windows1252
    }

    /// The text in UTF-8 without a byte order mark; what cannot be decoded becomes U+FFFD.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        switch encoding(of: bytes) {
        case .utf8: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        case .utf16LittleEndian: utf16(bytes, isBigEndian: false)
        case .utf16BigEndian: utf16(bytes, isBigEndian: true)
        case .windows1251: mapped(bytes, cyrillic)
        case .windows1252: mapped(bytes, western)
        }
    }

    package static func text(_ bytes: [UInt8]) -> String { String(decoding: utf8(bytes), as: UTF8.self) }

    private static func utf16(_ bytes: [UInt8], isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        for place in stride(from: 0, to: bytes.count - bytes.count % 2, by: 2) {
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
        }
        if units.first == 0xFEFF { units.removeFirst() }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func mapped(_ bytes: [UInt8], _ upper: [UInt16]) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count)
        for byte in bytes { units.append(byte < 0x80 ? UInt16(byte) : upper[Int(byte) - 0x80]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// - Note: Windows code page 1252.
    private static let western: [UInt16] =
        [
            0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
            0xFFFD,
            0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161,
            0x203A,
            0x0153, 0xFFFD, 0x017E, 0x0178,
        ] + (0xA0...0xFF).map { UInt16($0) }

    /// - Note: Windows code page 1251.
    private static let cyrillic: [UInt16] =
        [
            0x0402, 0x0403, 0x201A, 0x0453, 0x201E, 0x2026, 0x2020, 0x2021, 0x20AC, 0x2030, 0x0409, 0x2039, 0x040A,
            0x040C,
            0x040B, 0x040F, 0x0452, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0xFFFD, 0x2122, 0x0459,
            0x203A,
            0x045A, 0x045C, 0x045B, 0x045F, 0x00A0, 0x040E, 0x045E, 0x0408, 0x00A4, 0x0490, 0x00A6, 0x00A7, 0x0401,
            0x00A9,
            0x0404, 0x00AB, 0x00AC, 0x00AD, 0x00AE, 0x0407, 0x00B0, 0x00B1, 0x0406, 0x0456, 0x0491, 0x00B5, 0x00B6,
            0x00B7,
            0x0451, 0x2116, 0x0454, 0x00BB, 0x0458, 0x0405, 0x0455, 0x0457,
        ] + (0x410...0x44F).map { UInt16($0) }
}
