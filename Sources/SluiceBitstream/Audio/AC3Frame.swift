/// The head of an AC-3 sync frame.
///
/// - Note: ETSI TS 102 366 §4.3.
public struct AC3Frame: Sendable, Hashable {
    public let rateCode: UInt8
    public let streamID: UInt8
    public let mode: UInt8
    /// `acmod`.
    public let channelMode: UInt8
    public let hasLowFrequency: Bool
    /// `frmsizecod`.
    public let sizeCode: UInt8

    /// Parses the front of `bytes`; nil where there is no sync word or a field is reserved.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        var bits = BitReader(bytes)
        guard bits.u(16) == 0x0B77 else { return nil }
        bits.skip(16)
        rateCode = UInt8(bits.u(2))
        sizeCode = UInt8(bits.u(6))
        streamID = UInt8(bits.u(5))
        mode = UInt8(bits.u(3))
        channelMode = UInt8(bits.u(3))
        if channelMode & 1 == 1, channelMode != 1 { bits.skip(2) }
        if channelMode & 4 != 0 { bits.skip(2) }
        if channelMode == 2 { bits.skip(2) }
        hasLowFrequency = bits.flag()
        guard rateCode < 3, sizeCode < 38, streamID <= 10, !bits.overran else { return nil }
    }

    /// Parses a frame held as bytes.
    public init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    /// Hertz; stream ids 9 and 10 halve and quarter it.
    public var sampleRate: Int { [48_000, 44_100, 32_000][Int(rateCode)] >> Int(max(streamID, 8) - 8) }

    public var channels: Int { DolbyChannels.count(mode: channelMode) + (hasLowFrequency ? 1 : 0) }

    /// Samples a frame.
    public static let samples = 1_536

    /// Bits a second.
    public var bitRate: Int { (Self.kilobits[Int(sizeCode) / 2] * 1_000) >> Int(max(streamID, 8) - 8) }

    /// Bytes of the frame.
    public var frameSize: Int {
        let rate = Self.kilobits[Int(sizeCode) / 2]
        return switch rateCode {
        case 0: rate * 4
        case 1: (rate * 320 / 147 + Int(sizeCode & 1)) * 2
        default: rate * 6
        }
    }

    /// The payload of `dac3`.
    ///
    /// - Note: ETSI TS 102 366 Annex F.4.
    public var configuration: [UInt8] {
        var writer = BitWriter()
        writer.u(UInt32(rateCode), 2)
        writer.u(UInt32(streamID), 5)
        writer.u(UInt32(mode), 3)
        writer.u(UInt32(channelMode), 3)
        writer.flag(hasLowFrequency)
        writer.u(UInt32(sizeCode / 2), 5)
        writer.u(0, 5)
        return writer.bytes
    }

    private static let kilobits = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
}

/// Channel numbers of the Dolby codecs.
enum DolbyChannels {
    /// Full-range channels of `acmod`; 1+1 counts as two.
    static func count(mode: UInt8) -> Int { [2, 1, 2, 3, 3, 4, 4, 5][Int(mode & 7)] }

    /// Channels that nine bits of `chan_loc` add; pairs count twice.
    ///
    /// - Note: ETSI TS 102 366 table F.6.1.
    static func count(locations: UInt16) -> Int {
        [2, 2, 1, 1, 2, 2, 2, 1, 1].enumerated().reduce(0) { total, entry in
            total + (locations >> UInt16(entry.offset) & 1 == 1 ? entry.element : 0)
        }
    }
}
