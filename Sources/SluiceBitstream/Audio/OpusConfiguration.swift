/// An Opus identification header, and the `dOps` payload made from it.
///
/// - Note: RFC 7845 §5.1; Opus-in-ISOBMFF §4.3.2.
public struct OpusConfiguration: Sendable, Hashable {
    public let channels: Int
    /// Samples at 48 kHz to drop at the start.
    public let preSkip: Int
    /// Hertz of the encoder's input; informative.
    public let inputRate: UInt32
    /// Steps of 1/256 dB.
    public let outputGain: Int16
    public let mappingFamily: UInt8
    /// Stream count, coupled count and the mapping; empty for family 0.
    public let mapping: [UInt8]

    /// Parses `OpusHead` as Ogg and Matroska carry it; nil where it is none, or its mapping is cut.
    public init?(head: [UInt8]) {
        guard head.count >= 19, head.starts(with: "OpusHead".utf8), head[8] & 0xF0 == 0, head[9] > 0 else { return nil }
        channels = Int(head[9])
        preSkip = Int(head[10]) | Int(head[11]) << 8
        inputRate = head[12..<16].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        outputGain = Int16(bitPattern: UInt16(head[16]) | UInt16(head[17]) << 8)
        mappingFamily = head[18]
        guard let mapping = Self.mapping(head, family: head[18], channels: Int(head[9])) else { return nil }
        self.mapping = mapping
    }

    /// Parses a `dOps` payload; nil where it is cut or not version 0.
    public init?(box: [UInt8]) {
        guard box.count >= 11, box[0] == 0, box[1] > 0 else { return nil }
        channels = Int(box[1])
        preSkip = Int(box[2]) << 8 | Int(box[3])
        inputRate = box[4..<8].reduce(0) { $0 << 8 | UInt32($1) }
        outputGain = Int16(bitPattern: UInt16(box[8]) << 8 | UInt16(box[9]))
        mappingFamily = box[10]
        guard let mapping = Self.mapping([0, 0, 0, 0, 0, 0, 0, 0] + box, family: box[10], channels: Int(box[1])) else {
            return nil
        }
        self.mapping = mapping
    }

    /// The mapping follows at the same distance in both forms.
    private static func mapping(_ head: [UInt8], family: UInt8, channels: Int) -> [UInt8]? {
        guard family != 0 else { return channels <= 2 ? [] : nil }
        guard head.count >= 21 + channels else { return nil }
        return Array(head[19..<(21 + channels)])
    }

    /// The payload of `dOps`: the header's fields, big-endian.
    public var bytes: [UInt8] {
        var writer = BoxWriter(capacity: 11 + mapping.count)
        writer.u8(0)
        writer.u8(UInt8(truncatingIfNeeded: channels))
        writer.u16(UInt16(truncatingIfNeeded: preSkip))
        writer.u32(inputRate)
        writer.u16(UInt16(bitPattern: outputGain))
        writer.u8(mappingFamily)
        writer.raw(mapping)
        return writer.bytes
    }
}

/// The first byte of an Opus packet.
public enum OpusPacket {
    /// Samples at 48 kHz in a packet, all frames together; nil where it is empty or longer than 120 ms.
    ///
    /// - Note: RFC 6716 §3.1, §3.2.
    public static func samples(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first else { return nil }
        let config = Int(first >> 3)
        let frame =
            if config < 12 {
                [480, 960, 1_920, 2_880][config & 3]
            } else if config < 16 {
                [480, 960][config & 1]
            } else {
                [120, 240, 480, 960][config & 3]
            }
        let count: Int
        switch first & 3 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard bytes.count >= 2 else { return nil }
            count = Int(bytes[1] & 0x3F)
        }
        return count > 0 && frame * count <= 5_760 ? frame * count : nil
    }
}
