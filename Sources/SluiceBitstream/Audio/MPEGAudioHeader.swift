/// The header of an MPEG-1, MPEG-2 or MPEG-2.5 audio frame.
///
/// - Note: ISO/IEC 11172-3 §2.4.1.3, ISO/IEC 13818-3 §2.4.
public struct MPEGAudioHeader: Sendable, Hashable {
    /// 1, 2 or 3.
    public let layer: Int
    /// MPEG-1; otherwise MPEG-2 or 2.5 with half the samples in layer III.
    public let isMPEG1: Bool
    /// Bits a second; 0 for free format.
    public let bitRate: Int
    /// Hertz.
    public let sampleRate: Int
    public let channels: Int
    /// Bytes of the frame; nil for free format.
    public let frameSize: Int?
    /// Samples a frame.
    public let samples: Int

    /// Parses the first four bytes; nil where there is no sync word or a field is reserved.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return nil }
        let version = Int(bytes[1] >> 3 & 3)
        let layerCode = Int(bytes[1] >> 1 & 3)
        let rateIndex = Int(bytes[2] >> 4)
        let frequency = Int(bytes[2] >> 2 & 3)
        guard version != 1, layerCode != 0, rateIndex != 15, frequency != 3 else { return nil }
        layer = 4 - layerCode
        isMPEG1 = version == 3
        let base = [44_100, 48_000, 32_000][frequency]
        sampleRate = version == 3 ? base : version == 2 ? base / 2 : base / 4
        let table = Self.kilobits[(isMPEG1 ? 0 : 3) + layer - 1]
        bitRate = table[rateIndex] * 1_000
        channels = bytes[3] >> 6 == 3 ? 1 : 2
        samples = layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1_152
        let padding = Int(bytes[2] >> 1 & 1)
        if bitRate == 0 {
            frameSize = nil
        } else if layer == 1 {
            frameSize = (12 * bitRate / sampleRate + padding) * 4
        } else {
            frameSize = samples / 8 * bitRate / sampleRate + padding
        }
    }

    /// Parses a header held as bytes.
    public init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    /// Object type of `esds`: 0x6B for MPEG-1, 0x69 for MPEG-2.
    public var objectType: UInt8 { isMPEG1 ? 0x6B : 0x69 }

    private static let kilobits: [[Int]] = [
        [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
}
