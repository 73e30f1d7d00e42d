/// An HEVC sequence parameter set of the base layer.
///
/// - Note: ITU-T H.265 §7.3.2.2.
public struct HEVCSequenceParameters: Sendable, Hashable {
    public private(set) var videoParametersID = 0
    /// Temporal sub-layers, 1 to 7.
    public private(set) var subLayers = 1
    public private(set) var isTemporalIDNested = false
    public private(set) var profileTierLevel: HEVCProfileTierLevel
    public private(set) var id = 0
    /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public private(set) var chromaFormat = 1
    public private(set) var hasSeparatePlanes = false
    /// Luma samples before cropping.
    public private(set) var codedWidth = 0
    public private(set) var codedHeight = 0
    /// Luma samples after cropping.
    public private(set) var width = 0
    public private(set) var height = 0
    public private(set) var bitDepthLuma = 8
    public private(set) var bitDepthChroma = 8
    public private(set) var pictureOrderBits = 4
    /// Of the highest sub-layer: pictures kept, and pictures that may precede another in decoding and follow it in
    /// output.
    public private(set) var decodedPictureBuffers = 1
    public private(set) var reorderPictures = 0
    /// Luma samples of a coding tree block's side, as a power of two.
    public private(set) var codingTreeBlockBits = 4
    public private(set) var usability: VideoUsability?

    /// Parses a unit with its two header bytes; nil where it is not an SPS of layer 0, is truncated or out of range.
    public init?(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 16, HEVCUnitType(header: unit[0]) == .sps, unit[0] & 1 == 0, unit[1] & 0xF8 == 0 else {
            return nil
        }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[2...]), escaped: true)
        videoParametersID = Int(bits.u(4))
        let layers = Int(bits.u(3))
        guard layers <= 6 else { return nil }
        subLayers = layers + 1
        isTemporalIDNested = bits.flag()
        profileTierLevel = HEVCProfileTierLevel(&bits, maxSubLayersMinus1: layers)
        let number = bits.ue()
        guard number < 16, readSize(&bits), readOrder(&bits, layers: layers) else { return nil }
        id = Int(number)
        guard skipTools(&bits) else { return nil }
        if bits.flag() { usability = Self.usability(&bits, layers: layers) }
    }

    /// Parses a unit held as bytes.
    public init?(_ unit: [UInt8]) {
        guard let parsed = unit.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    private mutating func readSize(_ bits: inout BitReader) -> Bool {
        let chroma = bits.ue()
        guard chroma <= 3 else { return false }
        chromaFormat = Int(chroma)
        if chroma == 3 { hasSeparatePlanes = bits.flag() }
        codedWidth = Int(bits.ue())
        codedHeight = Int(bits.ue())
        width = codedWidth
        height = codedHeight
        if bits.flag() {
            let unitX = chroma == 1 || chroma == 2 ? 2 : 1
            let unitY = chroma == 1 ? 2 : 1
            width -= (Int(bits.ue()) + Int(bits.ue())) * unitX
            height -= (Int(bits.ue()) + Int(bits.ue())) * unitY
        }
        let luma = bits.ue()
        let color = bits.ue()
        guard luma <= 8, color <= 8 else { return false }
        bitDepthLuma = 8 + Int(luma)
        bitDepthChroma = 8 + Int(color)
        return !bits.overran && width > 0 && height > 0 && codedWidth <= 65_535 && codedHeight <= 65_535
    }

    private mutating func readOrder(_ bits: inout BitReader, layers: Int) -> Bool {
        let count = bits.ue()
        guard count <= 12 else { return false }
        pictureOrderBits = Int(count) + 4
        for _ in (bits.flag() ? 0 : layers)...layers {
            let buffers = bits.ue()
            let reorder = bits.ue()
            _ = bits.ue()
            guard buffers < 16, reorder <= buffers else { return false }
            decodedPictureBuffers = Int(buffers) + 1
            reorderPictures = Int(reorder)
        }
        return !bits.overran
    }

    /// Everything between the sub-layer ordering and the VUI.
    private mutating func skipTools(_ bits: inout BitReader) -> Bool {
        let smallest = bits.ue()
        let difference = bits.ue()
        guard smallest <= 3, difference <= 3 else { return false }
        codingTreeBlockBits = Int(smallest + difference) + 3
        for _ in 0..<4 { _ = bits.ue() }
        if bits.flag(), bits.flag() { HEVCSyntax.skipScalingLists(&bits) }
        bits.skip(2)
        if bits.flag() {
            bits.skip(8)
            _ = bits.ue()
            _ = bits.ue()
            bits.skip(1)
        }
        guard HEVCSyntax.skipReferenceSets(&bits) else { return false }
        if bits.flag() {
            let count = bits.ue()
            guard count <= 32 else { return false }
            bits.skip(Int(count) * (pictureOrderBits + 1))
        }
        bits.skip(2)
        return !bits.overran
    }

    private static func usability(_ bits: inout BitReader, layers: Int) -> VideoUsability? {
        var vui = VideoUsability()
        vui.readSignal(&bits)
        bits.skip(2)
        vui.hasPictureStructure = bits.flag()
        if bits.flag() { for _ in 0..<4 { _ = bits.ue() } }
        if bits.flag() {
            let units = bits.u(32)
            let scale = bits.u(32)
            if units > 0, scale > 0 { vui.timing = .init(unitsInTick: units, timeScale: scale, isFixedRate: false) }
            if bits.flag() { _ = bits.ue() }
            if bits.flag() { HEVCSyntax.skipBuffering(&bits, layers: layers) }
        }
        if bits.flag() {
            bits.skip(3)
            let segmentation = bits.ue()
            if !bits.overran, segmentation <= 4_095 { vui.minimumSpatialSegmentation = segmentation }
        }
        return vui
    }
}
