/// An AV1 sequence header.
///
/// - Note: AV1 bitstream specification §5.5.
public struct AV1SequenceHeader: Sendable, Hashable {
    /// 0 main, 1 high, 2 professional.
    public private(set) var profile: UInt8 = 0
    /// Reduced still picture header: every frame is a shown key frame.
    public private(set) var isStill = false
    /// `seq_level_idx` of operating point 0: 8 is 4.0.
    public private(set) var level: UInt8 = 0
    public private(set) var isHighTier = false
    public private(set) var width = 0
    public private(set) var height = 0
    public private(set) var bitDepth = 8
    public private(set) var isMonochrome = false
    public private(set) var subsamplingX = true
    public private(set) var subsamplingY = true
    /// 0 unknown, 1 vertical, 2 colocated.
    public private(set) var chromaPosition: UInt8 = 0
    public private(set) var color = ColorDescription(primaries: 2, transfer: 2, matrix: 2)
    public private(set) var timing: VideoUsability.Timing?
    public private(set) var hasFilmGrain = false
    /// Frames from decoding to presentation; nil where undeclared.
    public private(set) var initialDelay: UInt8?

    /// Parses the payload of a sequence header unit; nil where it is truncated or reserved.
    public init?(_ payload: UnsafeRawBufferPointer) {
        var bits = BitReader(payload)
        profile = UInt8(bits.u(3))
        guard profile <= 2 else { return nil }
        bits.skip(1)
        isStill = bits.flag()
        if isStill { level = UInt8(bits.u(5)) } else { readOperatingPoints(&bits) }
        let widthBits = Int(bits.u(4)) + 1
        let heightBits = Int(bits.u(4)) + 1
        width = Int(bits.u(widthBits)) + 1
        height = Int(bits.u(heightBits)) + 1
        if !isStill, bits.flag() { bits.skip(7) }
        bits.skip(3)
        if !isStill { skipTools(&bits) }
        bits.skip(3)
        readColor(&bits)
        hasFilmGrain = bits.flag()
        guard !bits.overran else { return nil }
    }

    /// Finds and parses the sequence header of a temporal unit or of `av1C`'s configuration units.
    public init?(temporalUnit bytes: UnsafeRawBufferPointer) {
        for unit in OBUs(bytes) where unit.type == .sequenceHeader {
            guard let header = Self(UnsafeRawBufferPointer(rebasing: bytes[unit.payload])) else { return nil }
            self = header
            return
        }
        return nil
    }

    private mutating func readOperatingPoints(_ bits: inout BitReader) {
        var hasModel = false
        var delayBits = 0
        if bits.flag() {
            let units = bits.u(32)
            let scale = bits.u(32)
            let isEqual = bits.flag()
            if isEqual { Self.skipVariable(&bits) }
            if units > 0, scale > 0 { timing = .init(unitsInTick: units, timeScale: scale, isFixedRate: isEqual) }
            hasModel = bits.flag()
            if hasModel {
                delayBits = Int(bits.u(5)) + 1
                bits.skip(42)
            }
        }
        let hasDelay = bits.flag()
        let count = Int(bits.u(5))
        for index in 0...count {
            bits.skip(12)
            let idx = UInt8(bits.u(5))
            let tier = idx > 7 && bits.flag()
            if hasModel, bits.flag() { bits.skip(delayBits * 2 + 1) }
            var delay: UInt8?
            if hasDelay, bits.flag() { delay = UInt8(bits.u(4)) + 1 }
            if index == 0 {
                level = idx
                isHighTier = tier
                initialDelay = delay
            }
        }
    }

    /// `uvlc`.
    private static func skipVariable(_ bits: inout BitReader) {
        var zeros = 0
        while !bits.overran, !bits.flag() { zeros += 1 }
        if zeros < 32 { bits.skip(zeros) }
    }

    private mutating func skipTools(_ bits: inout BitReader) {
        bits.skip(4)
        let hasOrderHint = bits.flag()
        if hasOrderHint { bits.skip(2) }
        let screenContent = bits.flag() ? 2 : bits.u(1)
        if screenContent > 0 { if !bits.flag() { bits.skip(1) } }
        if hasOrderHint { bits.skip(3) }
    }

    private mutating func readColor(_ bits: inout BitReader) {
        let isHigh = bits.flag()
        bitDepth = isHigh ? 10 : 8
        if profile == 2, isHigh { bitDepth = bits.flag() ? 12 : 10 }
        isMonochrome = profile != 1 && bits.flag()
        if bits.flag() {
            color = ColorDescription(
                primaries: UInt8(bits.u(8)), transfer: UInt8(bits.u(8)), matrix: UInt8(bits.u(8)))
        }
        if isMonochrome {
            color.fullRange = bits.flag()
            return
        }
        if color.primaries == 1, color.transfer == 13, color.matrix == 0 {
            color.fullRange = true
            subsamplingX = false
            subsamplingY = false
        } else {
            color.fullRange = bits.flag()
            switch profile {
            case 0: break
            case 1:
                subsamplingX = false
                subsamplingY = false
            default:
                subsamplingX = bitDepth == 12 ? bits.flag() : true
                subsamplingY = bitDepth == 12 && subsamplingX ? bits.flag() : false
            }
            if subsamplingX, subsamplingY { chromaPosition = UInt8(bits.u(2)) }
        }
        bits.skip(1)
    }
}

extension AV1SequenceHeader {
    /// The payload of `av1C`, with `configUnits` (the sequence header unit as it was) behind it.
    ///
    /// - Note: AV1-ISOBMFF §2.3.3.
    public func configuration(configUnits: [UInt8]) -> [UInt8] {
        var writer = BitWriter()
        writer.u(0x81, 8)
        writer.u(UInt32(profile), 3)
        writer.u(UInt32(level), 5)
        writer.flag(isHighTier)
        writer.flag(bitDepth > 8)
        writer.flag(bitDepth == 12)
        writer.flag(isMonochrome)
        writer.flag(subsamplingX)
        writer.flag(subsamplingY)
        writer.u(UInt32(chromaPosition), 2)
        writer.u(0, 8)
        return writer.bytes + configUnits
    }
}
