/// An H.264 sequence parameter set.
///
/// - Note: ITU-T H.264 §7.3.2.1.1, §7.4.2.1.1.
public struct H264SequenceParameters: Sendable, Hashable {
    public private(set) var profile: UInt8 = 0
    /// The byte of constraint flags.
    public private(set) var constraints: UInt8 = 0
    /// Ten times the level: 40 is 4.0.
    public private(set) var level: UInt8 = 0
    public private(set) var id = 0
    /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    public private(set) var chromaFormat = 1
    public private(set) var hasSeparatePlanes = false
    public private(set) var bitDepthLuma = 8
    public private(set) var bitDepthChroma = 8
    public private(set) var frameNumberBits = 4
    public private(set) var pictureOrderType = 0
    public private(set) var pictureOrderBits = 4
    public private(set) var isDeltaAlwaysZero = false
    public private(set) var offsetNonReference: Int32 = 0
    public private(set) var offsetTopToBottom: Int32 = 0
    public private(set) var offsetsOfReferenceFrames: [Int32] = []
    public private(set) var referenceFrames = 0
    public private(set) var isFrameOnly = true
    public private(set) var isFrameFieldAdaptive = false
    /// Luma samples before cropping.
    public private(set) var codedWidth = 0
    public private(set) var codedHeight = 0
    /// Luma samples after cropping.
    public private(set) var width = 0
    public private(set) var height = 0
    public private(set) var usability: VideoUsability?

    /// Parses a unit with its header byte; nil where it is not an SPS, is truncated or out of range.
    public init?(_ unit: UnsafeRawBufferPointer) {
        guard unit.count >= 4, H264UnitType(header: unit[0]) == .sps else { return nil }
        var bits = BitReader(UnsafeRawBufferPointer(rebasing: unit[1...]), escaped: true)
        profile = UInt8(bits.u(8))
        constraints = UInt8(bits.u(8))
        level = UInt8(bits.u(8))
        let number = bits.ue()
        guard number < 32 else { return nil }
        id = Int(number)
        guard readFormat(&bits), readPictureOrder(&bits), readSize(&bits) else { return nil }
        if bits.flag() { usability = Self.usability(&bits) }
    }

    /// Parses a unit held as bytes.
    public init?(_ unit: [UInt8]) {
        guard let parsed = unit.withUnsafeBytes({ Self($0) }) else { return nil }
        self = parsed
    }

    private static let highProfiles: Set<UInt8> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    private mutating func readFormat(_ bits: inout BitReader) -> Bool {
        if Self.highProfiles.contains(profile) {
            let chroma = bits.ue()
            guard chroma <= 3 else { return false }
            chromaFormat = Int(chroma)
            if chroma == 3 { hasSeparatePlanes = bits.flag() }
            let luma = bits.ue()
            let color = bits.ue()
            guard luma <= 6, color <= 6 else { return false }
            bitDepthLuma = 8 + Int(luma)
            bitDepthChroma = 8 + Int(color)
            bits.skip(1)
            if bits.flag() {
                for list in 0..<(chroma == 3 ? 12 : 8) where bits.flag() {
                    Self.skipScalingList(&bits, size: list < 6 ? 16 : 64)
                }
            }
        }
        let frameBits = bits.ue()
        guard frameBits <= 12 else { return false }
        frameNumberBits = Int(frameBits) + 4
        return !bits.overran
    }

    private static func skipScalingList(_ bits: inout BitReader, size: Int) {
        var last: Int32 = 8
        var next: Int32 = 8
        for _ in 0..<size {
            if next != 0 { next = (last &+ bits.se() &+ 256) & 0xFF }
            if next != 0 { last = next }
        }
    }

    private mutating func readPictureOrder(_ bits: inout BitReader) -> Bool {
        let type = bits.ue()
        guard type <= 2 else { return false }
        pictureOrderType = Int(type)
        if type == 0 {
            let count = bits.ue()
            guard count <= 12 else { return false }
            pictureOrderBits = Int(count) + 4
        } else if type == 1 {
            isDeltaAlwaysZero = bits.flag()
            offsetNonReference = bits.se()
            offsetTopToBottom = bits.se()
            let count = bits.ue()
            guard count <= 255 else { return false }
            for _ in 0..<count { offsetsOfReferenceFrames.append(bits.se()) }
        }
        let references = bits.ue()
        guard references <= 16 else { return false }
        referenceFrames = Int(references)
        bits.skip(1)
        return !bits.overran
    }

    private mutating func readSize(_ bits: inout BitReader) -> Bool {
        let columns = bits.ue()
        let rows = bits.ue()
        guard columns < 4_096, rows < 4_096 else { return false }
        isFrameOnly = bits.flag()
        if !isFrameOnly { isFrameFieldAdaptive = bits.flag() }
        bits.skip(1)
        codedWidth = (Int(columns) + 1) * 16
        codedHeight = (Int(rows) + 1) * 16 * (isFrameOnly ? 1 : 2)
        width = codedWidth
        height = codedHeight
        if bits.flag() {
            let left = Int(bits.ue())
            let right = Int(bits.ue())
            let top = Int(bits.ue())
            let bottom = Int(bits.ue())
            let format = hasSeparatePlanes ? 0 : chromaFormat
            let unitX = format == 1 || format == 2 ? 2 : 1
            let unitY = (format == 1 ? 2 : 1) * (isFrameOnly ? 1 : 2)
            width -= (left + right) * unitX
            height -= (top + bottom) * unitY
        }
        return !bits.overran && width > 0 && height > 0
    }

    private static func usability(_ bits: inout BitReader) -> VideoUsability? {
        var vui = VideoUsability()
        vui.readSignal(&bits)
        if bits.flag() {
            let units = bits.u(32)
            let scale = bits.u(32)
            let fixed = bits.flag()
            if units > 0, scale > 0 { vui.timing = .init(unitsInTick: units, timeScale: scale, isFixedRate: fixed) }
        }
        let nal = bits.flag()
        if nal { skipBuffering(&bits) }
        let vcl = bits.flag()
        if vcl { skipBuffering(&bits) }
        if nal || vcl { bits.skip(1) }
        vui.hasPictureStructure = bits.flag()
        if bits.flag() {
            bits.skip(1)
            for _ in 0..<4 { _ = bits.ue() }
            let reorder = bits.ue()
            let buffers = bits.ue()
            if !bits.overran, reorder <= 16, buffers <= 16 {
                vui.reorderPictures = Int(reorder)
                vui.decodedPictureBuffers = Int(buffers)
            }
        }
        return vui
    }

    /// `hrd_parameters`.
    private static func skipBuffering(_ bits: inout BitReader) {
        let count = bits.ue()
        guard count < 32 else { return bits.skip(.max) }
        bits.skip(8)
        for _ in 0...count {
            _ = bits.ue()
            _ = bits.ue()
            bits.skip(1)
        }
        bits.skip(20)
    }
}
