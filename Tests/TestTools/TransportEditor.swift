import Foundation

/// Damages transport streams by whole packets, as receivers and networks do.
public enum TransportEditor {
    static let packet = 188

    /// Without the packets of an identifier.
    public static func dropping(_ identifier: Int, from bytes: [UInt8]) -> [UInt8] {
        filtered(bytes) { place in
            Int(bytes[place + 1] & 31) << 8 | Int(bytes[place + 2]) != identifier
        }
    }

    /// From the packet on that lies at a part of the whole.
    public static func joined(_ bytes: [UInt8], at part: Double) -> [UInt8] {
        Array(bytes[(Int(Double(bytes.count) * part) / packet * packet)...])
    }

    /// Without one of so many packets, chosen by a fixed sequence; the first 50 stay.
    public static func losing(oneOf rate: UInt64, from bytes: [UInt8]) -> [UInt8] {
        var state: UInt64 = 1
        return filtered(bytes) { place in
            // Knuth's constants for 64 bits.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return place < packet * 50 || (state >> 33) % rate != 0
        }
    }

    /// Moves the decode time of every `step`th picture of a stream that has one, in ticks of 90 kHz.
    ///
    /// - Note: ISO/IEC 13818-1 §2.4.3.7 (PTS and DTS).
    public static func movingDecodeTimes(
        of identifier: Int, by ticks: Int64, every step: Int, in bytes: [UInt8]
    ) -> [UInt8] {
        var (moved, count) = (bytes, 0)
        for place in stride(from: 0, to: bytes.count - packet + 1, by: packet) {
            let number = Int(bytes[place + 1] & 31) << 8 | Int(bytes[place + 2])
            guard number == identifier, bytes[place + 1] & 0x40 != 0, bytes[place + 3] & 0x10 != 0 else { continue }
            let payload = place + 4 + (bytes[place + 3] & 0x20 != 0 ? 1 + Int(bytes[place + 4]) : 0)
            guard payload + 19 <= place + packet, bytes[payload..<(payload + 3)].elementsEqual([0, 0, 1]),
                bytes[payload + 7] & 0xC0 == 0xC0
            else { continue }
            count += 1
            guard count % step == 0 else { continue }
            let field = payload + 14
            let old =
                Int64(bytes[field] >> 1 & 7) << 30 | Int64(bytes[field + 1]) << 22 | Int64(bytes[field + 2] >> 1) << 15
                | Int64(bytes[field + 3]) << 7 | Int64(bytes[field + 4] >> 1)
            let time = (old + ticks) & ((1 << 33) - 1)
            moved[field] = bytes[field] & 0xF0 | UInt8(time >> 30 & 7) << 1 | 1
            moved[field + 1] = UInt8(time >> 22 & 0xFF)
            moved[field + 2] = UInt8(time >> 15 & 0x7F) << 1 | 1
            moved[field + 3] = UInt8(time >> 7 & 0xFF)
            moved[field + 4] = UInt8(time & 0x7F) << 1 | 1
        }
        return moved
    }

    private static func filtered(_ bytes: [UInt8], _ keeps: (Int) -> Bool) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        for place in stride(from: 0, to: bytes.count - packet + 1, by: packet) where keeps(place) {
            kept += bytes[place..<(place + packet)]
        }
        return kept
    }
}
