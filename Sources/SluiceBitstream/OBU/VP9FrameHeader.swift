/// The head of a VP9 frame, up to the size of a key frame.
///
/// - Note: VP9 bitstream specification §6.2.
public struct VP9FrameHeader: Sendable, Hashable {
    /// 0 to 3.
    public private(set) var profile: UInt8
    public private(set) var isKeyFrame = false
    /// A frame that only repeats one decoded before.
    public private(set) var isRepeat = false
    /// False for a frame that only others refer to.
    public private(set) var isShown = true
    public private(set) var bitDepth: UInt8 = 8
    /// `color_space`: 2 is BT.709, 5 BT.2020.
    public private(set) var colorSpace: UInt8 = 0
    public private(set) var isFullRange = false
    public private(set) var subsamplingX = true
    public private(set) var subsamplingY = true
    /// 0 unless a key frame.
    public private(set) var width = 0
    public private(set) var height = 0

    /// Parses the front of a frame, or of a superframe; nil where the marker is missing or the header is cut.
    public init?(_ bytes: UnsafeRawBufferPointer) {
        var bits = BitReader(bytes)
        guard bits.u(2) == 2 else { return nil }
        let low = bits.u(1)
        profile = UInt8(bits.u(1) << 1 | low)
        if profile == 3 { bits.skip(1) }
        isRepeat = bits.flag()
        if isRepeat {
            guard !bits.overran else { return nil }
            return
        }
        isKeyFrame = !bits.flag()
        isShown = bits.flag()
        bits.skip(1)
        if isKeyFrame {
            guard bits.u(24) == 0x49_8342, readColor(&bits) else { return nil }
            width = Int(bits.u(16)) + 1
            height = Int(bits.u(16)) + 1
        }
        guard !bits.overran else { return nil }
    }

    private mutating func readColor(_ bits: inout BitReader) -> Bool {
        if profile >= 2 { bitDepth = bits.flag() ? 12 : 10 }
        colorSpace = UInt8(bits.u(3))
        if colorSpace == 7 {
            isFullRange = true
            subsamplingX = false
            subsamplingY = false
            guard profile & 1 == 1 else { return false }
            bits.skip(1)
        } else {
            isFullRange = bits.flag()
            if profile & 1 == 1 {
                subsamplingX = bits.flag()
                subsamplingY = bits.flag()
                bits.skip(1)
            }
        }
        return true
    }

    /// The payload of `vpcC` behind version and flags.
    ///
    /// - Parameters:
    ///   - color: nil takes what the frame's colour space says.
    ///   - framesPerSecond: picks the level; nil takes 30.
    public func configuration(color: ColorDescription? = nil, framesPerSecond: Double? = nil) -> [UInt8] {
        let chroma: UInt8 = subsamplingX ? (subsamplingY ? 1 : 2) : 3
        let used = color.flatMap { $0.isUnspecified ? nil : $0 } ?? frameColor
        return [
            profile, level(framesPerSecond: framesPerSecond ?? 30),
            bitDepth << 4 | chroma << 1 | (isFullRange ? 1 : 0), used.primaries, used.transfer, used.matrix, 0, 0,
        ]
    }

    private var frameColor: ColorDescription {
        switch colorSpace {
        case 1: ColorDescription(primaries: 5, transfer: 6, matrix: 5)
        case 2: .bt709
        case 3: ColorDescription(primaries: 6, transfer: 6, matrix: 6)
        case 4: ColorDescription(primaries: 7, transfer: 7, matrix: 7)
        case 5: ColorDescription(primaries: 9, transfer: 14, matrix: 9)
        case 7: ColorDescription(primaries: 1, transfer: 13, matrix: 0)
        default: ColorDescription(primaries: 2, transfer: 2, matrix: 2)
        }
    }

    /// The lowest level that holds the picture and its rate.
    ///
    /// - Note: VP9 levels (webmproject.org/vp9/levels): luma samples a second, luma samples a picture.
    private func level(framesPerSecond: Double) -> UInt8 {
        let picture = Double(width * height)
        let limits: [(UInt8, Double, Double)] = [
            (10, 829_440, 36_864), (11, 2_764_800, 73_728), (20, 4_608_000, 122_880), (21, 9_216_000, 245_760),
            (30, 20_736_000, 552_960), (31, 36_864_000, 983_040), (40, 83_558_400, 2_228_224),
            (41, 160_432_128, 2_228_224), (50, 311_951_360, 8_912_896), (51, 588_251_136, 8_912_896),
            (52, 1_176_502_272, 8_912_896), (60, 1_176_502_272, 35_651_584), (61, 2_353_004_544, 35_651_584),
        ]
        let fitting = limits.first { picture <= $0.2 && picture * framesPerSecond <= $0.1 }
        return fitting?.0 ?? 62
    }
}
