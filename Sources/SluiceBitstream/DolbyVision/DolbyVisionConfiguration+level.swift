public import SluiceCore

extension DolbyVisionConfiguration {
    /// Pictures a second times their luma samples, and luma samples of a row, that a level allows; level 1 first.
    ///
    /// - Note: Dolby Vision Profiles and Levels, version 1.4, table of levels; bit rates are left out.
    private static let levels: [(rate: Int64, width: Int)] = [
        (1280 * 720 * 24, 1280),
        (1280 * 720 * 30, 1280),
        (1920 * 1080 * 24, 1920),
        (1920 * 1080 * 30, 2560),
        (1920 * 1080 * 60, 3840),
        (3840 * 2160 * 24, 3840),
        (3840 * 2160 * 30, 3840),
        (3840 * 2160 * 48, 3840),
        (3840 * 2160 * 60, 3840),
        (3840 * 2160 * 120, 3840),
        (3840 * 2160 * 120, 7680),
        (7680 * 4320 * 60, 7680),
        (7680 * 4320 * 120, 7680),
    ]

    /// The lowest level that allows a stream; nil beyond the highest, and for sizes below 1.
    ///
    /// - Parameters:
    ///   - width: luma samples of a row; `height`: rows.
    ///   - period: seconds a picture lasts; nil counts as 1/25, as in libavcodec.
    public static func level(width: Int, height: Int, period: Timebase?) -> Int? {
        guard width > 0, height > 0, let last = levels.last, width <= last.width,
            Int64(height) <= last.rate
        else { return nil }
        let samples = Int64(width) * Int64(height)
        let (numerator, denominator) = (Int64(period?.numerator ?? 1), Int64(period?.denominator ?? 25))
        // samples / period <= rate, multiplied out: neither side is rounded.
        let (used, isLarge) = samples.multipliedReportingOverflow(by: denominator)
        guard !isLarge else { return nil }
        return levels.firstIndex { used <= $0.rate * numerator && width <= $0.width }.map { $0 + 1 }
    }
}
