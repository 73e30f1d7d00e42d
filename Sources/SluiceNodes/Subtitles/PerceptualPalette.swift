import Glibc

/// Colours of subtitles that are coded for PQ, as those of UHD discs are, in the colours of standard displays. Pure.
///
/// - Note: behaviours SB-22; SMPTE ST 2084, ITU-R BT.2020-2, BT.709-6, BT.2408 (graphics white of 203 nits).
package enum PerceptualPalette {
    /// - Parameter color: `0xAARRGGBB`, which a decoder computed by the matrix of BT.709.
    package static func standard(_ color: UInt32) -> UInt32 {
        func part(_ shift: UInt32) -> Double { Double(color >> shift & 0xFF) / 255 }
        let (red, green, blue) = (part(16), part(8), part(0))
        // Back to luma and colour differences, then by the matrix that they were made with.
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        let (blueness, redness) = ((blue - luma) / 1.8556, (red - luma) / 1.5748)
        let wideRed = luma + 1.4746 * redness
        let wideBlue = luma + 1.8814 * blueness
        let wideGreen = (luma - 0.2627 * wideRed - 0.0593 * wideBlue) / 0.6780
        let (r, g, b) = (light(wideRed), light(wideGreen), light(wideBlue))
        let parts = [
            1.6605 * r - 0.5876 * g - 0.0728 * b, -0.1246 * r + 1.1329 * g - 0.0083 * b,
            -0.0182 * r - 0.1006 * g + 1.1187 * b,
        ]
        return parts.reduce(color >> 24) { $0 << 8 | UInt32((encoded($1) * 255).rounded()) }
    }

    /// Light of a PQ value, in units of graphics white.
    private static func light(_ value: Double) -> Double {
        let power = pow(min(max(value, 0), 1), 1 / 78.84375)
        return pow(max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125) * 10_000 / 203
    }

    private static func encoded(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
}
