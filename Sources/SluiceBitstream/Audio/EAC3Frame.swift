/// The head of an E-AC-3 sync frame, and what its additional information says.
///
/// - Note: ETSI TS 102 366 Annex E.1.2; ETSI TS 103 420 §8.3 for the object audio extension.
public struct EAC3Frame: Sendable, Hashable {
    /// `strmtyp`.
    public enum Kind: UInt8, Sendable, Hashable {
        case independent = 0
        case dependent = 1
        /// Independent, converted from AC-3.
        case converted = 2
    }

    public private(set) var kind: Kind = .independent
    public private(set) var substream: UInt8 = 0
    /// Bytes of the frame.
    public private(set) var frameSize = 0
    /// `fscod`; 3 for reduced rates.
    public private(set) var rateCode: UInt8 = 0
    /// Hertz.
    public private(set) var sampleRate = 48_000
    /// Blocks of 256 samples: 1, 2, 3 or 6.
    public private(set) var blocks = 6
    public private(set) var channelMode: UInt8 = 0
    public private(set) var hasLowFrequency = false
    public private(set) var streamID: UInt8 = 16
    public private(set) var mode: UInt8 = 0
    /// `chanmap` of dependent substreams; nil where absent.
    public private(set) var channelMap: UInt16?
    /// Complexity index of the object audio (Atmos) extension; nil where the frame carries none.
    public private(set) var objectComplexity: UInt8?

    /// Whether the frame is plain AC-3, as the core of a stream with dependent substreams may be.
    public private(set) var isCore = false

    /// Parses the front of `bytes`; nil where there is no sync word or a field is reserved.
    ///
    /// The additional information is read as far as `bytes` reach.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        if bytes[5] >> 3 <= 10 {
            guard let core = AC3Frame(bytes) else { return nil }
            self = EAC3Frame(core: core)
            return
        }
        var bits = BitReader(bytes)
        guard bits.u(16) == 0x0B77, let kind = Kind(rawValue: UInt8(bits.u(2))) else { return nil }
        self.kind = kind
        substream = UInt8(bits.u(3))
        frameSize = (Int(bits.u(11)) + 1) * 2
        rateCode = UInt8(bits.u(2))
        if rateCode == 3 {
            let reduced = Int(bits.u(2))
            guard reduced < 3 else { return nil }
            sampleRate = [24_000, 22_050, 16_000][reduced]
        } else {
            sampleRate = [48_000, 44_100, 32_000][Int(rateCode)]
            blocks = [1, 2, 3, 6][Int(bits.u(2))]
        }
        channelMode = UInt8(bits.u(3))
        hasLowFrequency = bits.flag()
        streamID = UInt8(bits.u(5))
        guard (11...16).contains(streamID), !bits.overran else { return nil }
        readInformation(&bits)
    }

    private init(core: AC3Frame) {
        isCore = true
        frameSize = core.frameSize
        rateCode = core.rateCode
        sampleRate = core.sampleRate
        channelMode = core.channelMode
        hasLowFrequency = core.hasLowFrequency
        streamID = core.streamID
        mode = core.mode
    }

    /// Parses a frame held as bytes.
    public init?(_ bytes: [UInt8]) {
        guard let parsed = bytes.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    /// The fields of `bsi` after the stream id, up to `addbsi`.
    private mutating func readInformation(_ bits: inout BitReader) {
        for _ in 0..<(channelMode == 0 ? 2 : 1) {
            bits.skip(5)
            if bits.flag() { bits.skip(8) }
        }
        if kind == .dependent, bits.flag() { channelMap = UInt16(truncatingIfNeeded: bits.u(16)) }
        if bits.flag() { skipMixing(&bits) }
        if bits.flag() {
            mode = UInt8(bits.u(3))
            bits.skip(2)
            if channelMode == 2 { bits.skip(4) }
            if channelMode >= 6 { bits.skip(2) }
            for _ in 0..<(channelMode == 0 ? 2 : 1) where bits.flag() { bits.skip(8) }
            if rateCode < 3 { bits.skip(1) }
        }
        if kind == .independent, blocks != 6 { bits.skip(1) }
        if kind == .converted, blocks == 6 || bits.flag() { bits.skip(6) }
        guard bits.flag() else { return }
        let length = bits.u(6)
        guard length >= 1 else { return }
        bits.skip(7)
        let isObject = bits.flag()
        let index = UInt8(bits.u(8))
        if !bits.overran, isObject { objectComplexity = index }
    }

    private func skipMixing(_ bits: inout BitReader) {
        if channelMode > 2 { bits.skip(2) }
        if channelMode & 1 == 1, channelMode > 2 { bits.skip(6) }
        if channelMode & 4 != 0 { bits.skip(6) }
        if hasLowFrequency, bits.flag() { bits.skip(5) }
        guard kind == .independent else { return }
        if bits.flag() { bits.skip(6) }
        if channelMode == 0, bits.flag() { bits.skip(6) }
        if bits.flag() { bits.skip(6) }
        switch bits.u(2) {
        case 1: bits.skip(5)
        case 2: bits.skip(12)
        case 3:
            let length = Int(bits.u(5)) + 2
            bits.skip(length * 8)
        default: break
        }
        if channelMode < 2 {
            if bits.flag() { bits.skip(14) }
            if channelMode == 0, bits.flag() { bits.skip(14) }
        }
        guard bits.flag() else { return }
        if blocks == 1 {
            bits.skip(5)
        } else {
            for _ in 0..<blocks where bits.flag() { bits.skip(5) }
        }
    }

    /// Samples a frame.
    public var samples: Int { blocks * 256 }

    /// Channels of this substream alone.
    public var channels: Int { DolbyChannels.count(mode: channelMode) + (hasLowFrequency ? 1 : 0) }
}
