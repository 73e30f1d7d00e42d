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

    private static func filtered(_ bytes: [UInt8], _ keeps: (Int) -> Bool) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(bytes.count)
        for place in stride(from: 0, to: bytes.count - packet + 1, by: packet) where keeps(place) {
            kept += bytes[place..<(place + packet)]
        }
        return kept
    }
}
