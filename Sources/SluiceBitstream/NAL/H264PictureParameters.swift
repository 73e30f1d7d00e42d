/// The head of an H.264 picture parameter set.
///
/// - Note: ITU-T H.264 §7.3.2.2.
public struct H264PictureParameters: Sendable, Hashable {
    public let id: Int
    public let sequenceID: Int
    public let usesArithmeticCoding: Bool
    /// Slice headers carry the order of the bottom field as well.
    public let hasBottomFieldOrder: Bool

    /// Parses a unit with its header byte; nil where it is not a PPS, is truncated or out of range.
    public init?(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 2, H264UnitType(header: unit[0]) == .pps else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), escaped: true)
        let id = bits.ue()
        let sequence = bits.ue()
        usesArithmeticCoding = bits.flag()
        hasBottomFieldOrder = bits.flag()
        guard !bits.overran, id < 256, sequence < 32 else { return nil }
        self.id = Int(id)
        sequenceID = Int(sequence)
    }

    /// Parses a unit held as bytes.
    public init?(_ unit: [UInt8]) {
        guard let parsed = unit.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }
}
