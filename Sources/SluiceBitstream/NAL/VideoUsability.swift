/// What the VUI of a parameter set says about showing the picture.
///
/// - Note: ITU-T H.264 Annex E, ITU-T H.265 Annex E.
public struct VideoUsability: Sendable, Hashable {
    /// nil where undeclared or 0.
    public var sampleAspect: SampleAspect?
    public var isFullRange = false
    /// nil where there is no colour description.
    public var color: ColorDescription?
    /// Clock of the picture rate; nil where undeclared or zero.
    public var timing: Timing?
    /// Pictures that may precede another in decoding and follow it in output; nil where undeclared.
    public var reorderPictures: Int?
    /// H.264 only; nil where undeclared.
    public var decodedPictureBuffers: Int?
    /// HEVC only.
    public var minimumSpatialSegmentation: UInt32 = 0
    public var hasPictureStructure = false

    public init() {}

    public struct Timing: Sendable, Hashable {
        /// `num_units_in_tick`.
        public var unitsInTick: UInt32
        /// Hertz.
        public var timeScale: UInt32
        /// H.264: two ticks make a frame and the distance is constant.
        public var isFixedRate: Bool
    }

    /// - Note: ITU-T H.264 table E-1, the same in H.265.
    static func aspect(code: UInt32) -> SampleAspect? {
        let table: [(UInt32, UInt32)] = [
            (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33), (18, 11), (15, 11),
            (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
        ]
        guard code >= 1, code <= UInt32(table.count) else { return nil }
        let (width, height) = table[Int(code) - 1]
        return SampleAspect(width: width, height: height)
    }

    /// The part both codecs share: aspect, overscan, signal type, chroma location.
    mutating func readSignal(_ bits: inout BitReader) {
        if bits.flag() {
            let code = bits.u(8)
            if code == 255 {
                let width = bits.u(16)
                let height = bits.u(16)
                if width > 0, height > 0 { sampleAspect = SampleAspect(width: width, height: height) }
            } else {
                sampleAspect = Self.aspect(code: code)
            }
        }
        if bits.flag() { bits.skip(1) }
        if bits.flag() {
            bits.skip(3)
            isFullRange = bits.flag()
            if bits.flag() {
                color = ColorDescription(
                    primaries: UInt8(bits.u(8)), transfer: UInt8(bits.u(8)), matrix: UInt8(bits.u(8)),
                    fullRange: isFullRange)
            }
        }
        if bits.flag() {
            _ = bits.ue()
            _ = bits.ue()
        }
    }
}
