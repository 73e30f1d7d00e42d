/// A supplemental enhancement information message, without emulation prevention bytes.
public struct SEIMessage: Sendable, Hashable {
    /// `payloadType`.
    public var type: Int
    public var payload: [UInt8]

    public init(type: Int, payload: [UInt8]) {
        self.type = type
        self.payload = payload
    }

    /// Messages of a unit that are looked at.
    public static let limit = 64

    /// The messages of a unit, as far as they are whole; at most ``limit``.
    ///
    /// - Parameters:
    ///   - unit: from the NAL header on, without start code or length.
    ///   - headerLength: bytes of the NAL header: 1 in H.264, 2 in HEVC.
    /// - Note: ITU-T H.264 §7.3.2.3.1, ITU-T H.265 §7.3.5.
    public static func list(_ unit: UnsafeRawBufferPointer, headerLength: Int) -> [SEIMessage] {
        guard unit.count > headerLength else { return [] }
        let plain = EmulationPrevention.removed(from: UnsafeRawBufferPointer(rebasing: unit[headerLength...]))
        var messages: [SEIMessage] = []
        var offset = 0
        // A first byte of 0x80 at the end is the trailing bits, not a message.
        while offset + 2 <= plain.count, messages.count < limit {
            guard let type = variable(plain, &offset), let size = variable(plain, &offset),
                size <= plain.count - offset
            else { break }
            messages.append(SEIMessage(type: type, payload: Array(plain[offset..<(offset + size)])))
            offset += size
        }
        return messages
    }

    /// A number written as bytes of 255 and a last byte; nil past the end.
    private static func variable(_ bytes: [UInt8], _ offset: inout Int) -> Int? {
        var value = 0
        while offset < bytes.count {
            let byte = Int(bytes[offset])
            offset += 1
            value += byte
            if byte != 255 { return value }
        }
        return nil
    }
}

extension SEIMessage {
    /// `mastering_display_colour_volume` (type 137); nil for other messages and short ones.
    ///
    /// - Note: ITU-T H.265 §D.2.28; the same in H.264.
    public var masteringDisplay: MasteringDisplay? {
        guard type == 137, payload.count >= 24 else { return nil }
        let words = (0..<8).map { UInt16(payload[$0 * 2]) << 8 | UInt16(payload[$0 * 2 + 1]) }
        func luminance(_ offset: Int) -> UInt32 { payload[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
        return MasteringDisplay(
            primaries: Array(words[0..<6]), whitePoint: Array(words[6..<8]), maximumLuminance: luminance(16),
            minimumLuminance: luminance(20))
    }

    /// `content_light_level_info` (type 144); nil for other messages and short ones.
    ///
    /// - Note: ITU-T H.265 §D.2.35.
    public var contentLight: ContentLightLevel? {
        guard type == 144, payload.count >= 4 else { return nil }
        return ContentLightLevel(
            maximumContent: UInt16(payload[0]) << 8 | UInt16(payload[1]),
            maximumFrameAverage: UInt16(payload[2]) << 8 | UInt16(payload[3]))
    }

    /// `preferred_transfer_characteristics` of `alternative_transfer_characteristics` (type 147).
    ///
    /// - Note: ITU-T H.265 §D.2.38: broadcasts of hybrid log-gamma declare BT.2020 in the VUI and 18 here.
    public var preferredTransfer: UInt8? { type == 147 ? payload.first : nil }

    /// What a `user_data_registered_itu_t_t35` (type 4) is; nil for other messages.
    public var registered: RegisteredMetadata? { type == 4 ? RegisteredMetadata(payload) : nil }
}
