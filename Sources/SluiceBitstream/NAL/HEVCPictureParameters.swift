/// The head of an HEVC picture parameter set.
///
/// - Note: ITU-T H.265 §7.3.2.3.
public struct HEVCPictureParameters: Sendable, Hashable {
    public let id: Int
    public let sequenceID: Int
    public let hasDependentSlices: Bool
    public let hasOutputFlag: Bool
    public let extraSliceBits: Int
    public let usesTiles: Bool
    public let usesWavefronts: Bool

    /// Parses a unit with its two header bytes; nil where it is not a PPS, is truncated or out of range.
    public init?(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 3, HEVCUnitType(header: unit[0]) == .pps else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[2...]), escaped: true)
        let id = bits.ue()
        let sequence = bits.ue()
        hasDependentSlices = bits.flag()
        hasOutputFlag = bits.flag()
        extraSliceBits = Int(bits.u(3))
        bits.skip(2)
        _ = bits.ue()
        _ = bits.ue()
        _ = bits.se()
        bits.skip(2)
        if bits.flag() { _ = bits.ue() }
        _ = bits.se()
        _ = bits.se()
        bits.skip(4)
        usesTiles = bits.flag()
        usesWavefronts = bits.flag()
        guard !bits.overran, id < 64, sequence < 16 else { return nil }
        self.id = Int(id)
        sequenceID = Int(sequence)
    }

    /// Parses a unit held as bytes.
    public init?(_ unit: [UInt8]) {
        guard let parsed = unit.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }
}
