/// Colour as code points; 2 means unspecified.
///
/// - Note: ISO/IEC 23091-2; written as `colr` `nclx`, ISO/IEC 14496-12 §12.1.5.
public struct ColorDescription: Sendable, Hashable {
    public var primaries: UInt8
    public var transfer: UInt8
    public var matrix: UInt8
    public var fullRange: Bool

    public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, fullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.fullRange = fullRange
    }

    /// BT.709, limited range.
    public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1)

    /// Whether nothing is stated.
    public var isUnspecified: Bool { primaries == 2 && transfer == 2 && matrix == 2 }
}

/// Width : height of one picture sample; both above 0.
public struct SampleAspect: Sendable, Hashable {
    public var width: UInt32
    public var height: UInt32

    /// Parts of 0, as damaged files declare, give 1:1.
    public init(width: UInt32, height: UInt32) {
        self.width = width > 0 && height > 0 ? width : 1
        self.height = width > 0 && height > 0 ? height : 1
    }

    public static let square = SampleAspect(width: 1, height: 1)
    public var isSquare: Bool { width == height }
}

/// SMPTE ST 2086 mastering display, in the units of `mdcv` and of the HEVC SEI message.
public struct MasteringDisplay: Sendable, Hashable {
    /// Chromaticity in steps of 0.00002: x, y of green, blue, red (that order) and the white point.
    public var primaries: [UInt16]
    public var whitePoint: [UInt16]
    /// Candela a square metre, in steps of 0.0001.
    public var maximumLuminance: UInt32
    public var minimumLuminance: UInt32

    /// Missing chromaticities are filled with 0, surplus ones dropped.
    public init(primaries: [UInt16], whitePoint: [UInt16], maximumLuminance: UInt32, minimumLuminance: UInt32) {
        self.primaries = Array((primaries + [0, 0, 0, 0, 0, 0]).prefix(6))
        self.whitePoint = Array((whitePoint + [0, 0]).prefix(2))
        self.maximumLuminance = maximumLuminance
        self.minimumLuminance = minimumLuminance
    }
}

/// CTA-861.3 content light level, candela a square metre.
public struct ContentLightLevel: Sendable, Hashable {
    public var maximumContent: UInt16
    public var maximumFrameAverage: UInt16

    public init(maximumContent: UInt16, maximumFrameAverage: UInt16) {
        self.maximumContent = maximumContent
        self.maximumFrameAverage = maximumFrameAverage
    }
}
