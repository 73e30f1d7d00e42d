/// MPEG-4 audio configuration: the decoder specific information of `esds`.
///
/// - Note: ISO/IEC 14496-3 §1.6.2.1.
public struct AudioSpecificConfig: Sendable, Hashable {
    /// Audio object type of the core: 2 is AAC-LC, 42 xHE-AAC.
    public var objectType: Int
    /// Hertz of the core.
    public var sampleRate: Int
    /// 0 where a program config element follows.
    public var channelConfiguration: Int
    /// Explicitly signalled spectral band replication and its output rate.
    public var hasSpectralReplication = false
    public var extensionRate: Int?
    /// Explicitly signalled parametric stereo; implies ``hasSpectralReplication``.
    public var hasParametricStereo = false
    /// 960 instead of 1024 samples a frame (480 instead of 512 for low delay).
    public var hasShortFrames = false
    /// Channels of a program config element; nil where there is none or it cannot be read.
    public private(set) var elementChannels: Int?

    /// A plain configuration.
    ///
    /// nil for object types outside 1 to 95, rates outside 1 to 16,777,215 Hz and configurations above 15.
    public init?(objectType: Int, sampleRate: Int, channelConfiguration: Int) {
        guard (1...95).contains(objectType), objectType != 31, (1...0xFF_FFFF).contains(sampleRate),
            (0...15).contains(channelConfiguration)
        else { return nil }
        self.objectType = objectType
        self.sampleRate = sampleRate
        self.channelConfiguration = channelConfiguration
    }

    /// Parses a configuration; nil where it is truncated or names a reserved rate.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        var bits = BitReader(bytes)
        var type = Self.objectType(&bits)
        guard let rate = Self.rate(&bits) else { return nil }
        sampleRate = rate
        channelConfiguration = Int(bits.u(4))
        if type == 5 || type == 29 {
            hasSpectralReplication = true
            hasParametricStereo = type == 29
            extensionRate = Self.rate(&bits)
            type = Self.objectType(&bits)
            if type == 22 { bits.skip(4) }
        }
        objectType = type
        guard !bits.overran, type > 0 else { return nil }
        if Self.hasGeneralConfig(type) {
            hasShortFrames = bits.flag()
            if bits.flag() { bits.skip(14) }
            let hasExtension = bits.flag()
            if channelConfiguration == 0 { elementChannels = Self.elementChannels(&bits, start: bytes) }
            if type == 6 || type == 20 { bits.skip(3) }
            if hasExtension {
                if type == 22 { bits.skip(16) }
                if [17, 19, 20, 23].contains(type) { bits.skip(3) }
                bits.skip(1)
            }
        }
        if !hasSpectralReplication { readBackwardExtension(&bits, total: bytes.count * 8) }
    }

    /// Parses a configuration held as bytes.
    public init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    /// The sync extension that old decoders do not see.
    private mutating func readBackwardExtension(_ bits: inout BitReader, total: Int) {
        guard !bits.overran, total - bits.position >= 16, bits.u(11) == 0x2B7, Self.objectType(&bits) == 5, bits.flag()
        else { return }
        hasSpectralReplication = true
        extensionRate = Self.rate(&bits)
        if total - bits.position >= 12, bits.u(11) == 0x548 { hasParametricStereo = bits.flag() }
    }

    /// Object types that carry a GASpecificConfig.
    private static func hasGeneralConfig(_ type: Int) -> Bool {
        [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(type)
    }

    private static func objectType(_ bits: inout BitReader) -> Int {
        let type = Int(bits.u(5))
        return type == 31 ? 32 + Int(bits.u(6)) : type
    }

    private static func rate(_ bits: inout BitReader) -> Int? {
        let index = Int(bits.u(4))
        if index == 15 {
            let rate = Int(bits.u(24))
            return rate > 0 ? rate : nil
        }
        return index < sampleRates.count ? sampleRates[index] : nil
    }

    /// Channels of a program config element.
    ///
    /// - Note: ISO/IEC 14496-3 §4.4.1.1.
    private static func elementChannels(_ bits: inout BitReader, start: UnsafeRawBufferPointer) -> Int? {
        bits.skip(10)
        let counts = (0..<3).map { _ in Int(bits.u(4)) }
        let low = Int(bits.u(2))
        let data = Int(bits.u(3))
        let coupling = Int(bits.u(4))
        if bits.flag() { bits.skip(4) }
        if bits.flag() { bits.skip(4) }
        if bits.flag() { bits.skip(3) }
        var channels = low
        for count in counts {
            for _ in 0..<count {
                channels += bits.flag() ? 2 : 1
                bits.skip(4)
            }
        }
        bits.skip(low * 4 + data * 4 + coupling * 5)
        bits.align()
        bits.skip(Int(bits.u(8)) * 8)
        return bits.overran ? nil : channels
    }

    /// - Note: ISO/IEC 14496-3 table 1.18.
    public static let sampleRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]
}

extension AudioSpecificConfig {
    /// Hertz of the decoded audio, replication included.
    public var outputRate: Int { extensionRate ?? sampleRate }

    /// Channels of the decoded audio; nil where only the frames tell.
    ///
    /// - Note: ISO/IEC 14496-3 table 1.19.
    public var channels: Int? {
        if hasParametricStereo, channelConfiguration == 1 { return 2 }
        return switch channelConfiguration {
        case 0: elementChannels
        case 1...6: channelConfiguration
        case 7, 12, 14: 8
        case 11: 7
        case 13: 24
        default: nil
        }
    }

    /// Core samples a frame.
    public var frameSamples: Int {
        switch objectType {
        case 23, 39: hasShortFrames ? 480 : 512
        default: hasShortFrames ? 960 : 1_024
        }
    }

    /// Samples a frame at ``outputRate``.
    public var outputFrameSamples: Int {
        guard hasSpectralReplication, let extensionRate, extensionRate == sampleRate * 2 else { return frameSamples }
        return frameSamples * 2
    }

    /// The configuration as bytes, with explicit hierarchical signalling of replication and parametric stereo.
    ///
    /// Program config elements are not written: configurations that need one have to be passed on as they were.
    public var bytes: [UInt8] {
        var writer = BitWriter()
        let isExtended = hasSpectralReplication || hasParametricStereo
        Self.write(objectType: isExtended ? (hasParametricStereo ? 29 : 5) : objectType, to: &writer)
        Self.write(rate: sampleRate, to: &writer)
        writer.u(UInt32(channelConfiguration & 15), 4)
        if isExtended {
            Self.write(rate: extensionRate ?? min(sampleRate * 2, 0xFF_FFFF), to: &writer)
            Self.write(objectType: objectType, to: &writer)
        }
        if Self.hasGeneralConfig(objectType) {
            writer.u(hasShortFrames ? 4 : 0, 3)
        }
        return writer.bytes
    }

    private static func write(objectType: Int, to writer: inout BitWriter) {
        if objectType >= 32 {
            writer.u(31, 5)
            writer.u(UInt32(truncatingIfNeeded: objectType - 32) & 0x3F, 6)
        } else {
            writer.u(UInt32(truncatingIfNeeded: objectType) & 0x1F, 5)
        }
    }

    private static func write(rate: Int, to writer: inout BitWriter) {
        if let index = sampleRates.firstIndex(of: rate) {
            writer.u(UInt32(index), 4)
        } else {
            writer.u(15, 4)
            writer.u(UInt32(clamping: rate) & 0xFF_FFFF, 24)
        }
    }
}
