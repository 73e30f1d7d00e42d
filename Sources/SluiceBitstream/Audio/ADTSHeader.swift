/// The header of an AAC frame in an ADTS stream.
///
/// - Note: ISO/IEC 13818-7 §6.2, ISO/IEC 14496-3 §1.A.3.
public struct ADTSHeader: Sendable, Hashable {
    /// MPEG-4 audio object type: 1 to 4.
    public let objectType: Int
    /// Hertz.
    public let sampleRate: Int
    /// 0 where a program config element in the frame tells.
    public let channelConfiguration: Int
    /// Bytes before the payload: 7, or 9 with a checksum.
    public let headerSize: Int
    /// Bytes of the whole frame, header included.
    public let frameSize: Int
    /// Raw data blocks in the frame, 1 to 4, each of 1,024 samples.
    public let blocks: Int

    /// Parses the front of `bytes`; nil where there is no header or it contradicts itself.
    ///
    /// The frame may be longer than `bytes`.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 7, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 else { return nil }
        let index = Int(bytes[2] >> 2 & 15)
        guard index < AudioSpecificConfig.sampleRates.count else { return nil }
        objectType = Int(bytes[2] >> 6) + 1
        sampleRate = AudioSpecificConfig.sampleRates[index]
        channelConfiguration = Int(bytes[2] & 1) << 2 | Int(bytes[3] >> 6)
        headerSize = bytes[1] & 1 == 1 ? 7 : 9
        frameSize = Int(bytes[3] & 3) << 11 | Int(bytes[4]) << 3 | Int(bytes[5] >> 5)
        blocks = Int(bytes[6] & 3) + 1
        guard frameSize > headerSize else { return nil }
    }

    /// Parses a header held as bytes.
    public init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    /// The configuration that the payload needs once the header is gone.
    public var config: AudioSpecificConfig? {
        AudioSpecificConfig(
            objectType: objectType, sampleRate: sampleRate, channelConfiguration: channelConfiguration)
    }

    /// Ranges of the payloads of whole frames at the front of `bytes`; stops at the first that is damaged or cut.
    public static func payloads(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var list: [Range<Int>] = []
        var offset = 0
        while offset < bytes.count, let header = ADTSHeader(UnsafeRawBufferPointer(rebasing: bytes[offset...])),
            header.frameSize <= bytes.count - offset
        {
            list.append((offset + header.headerSize)..<(offset + header.frameSize))
            offset += header.frameSize
        }
        return list
    }
}
