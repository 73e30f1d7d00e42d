import SluiceCore

/// Decimal numbers as playlists write them: no exponent, no locale.
enum Decimal {
    /// Rounded to the nearest microsecond, halves up; saturating.
    static func microseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        // Floor division, so that negative times round the same way.
        let shifted = attoseconds &+ 500_000_000_000
        var part = shifted / 1_000_000_000_000
        if shifted % 1_000_000_000_000 < 0 { part -= 1 }
        let (sum, spilled) = whole.addingReportingOverflow(part)
        return spilled ? (seconds < 0 ? .min : .max) : sum
    }

    /// Seconds with six decimals; `value` not negative.
    static func text(microseconds value: Int64) -> String {
        let value = max(0, value)
        return "\(value / 1_000_000)." + padded(value % 1_000_000, digits: 6)
    }

    /// A non-negative number with up to `digits` decimals; values that are not finite print as 0.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite, value > 0 else { return fixed(0, digits: digits) }
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        return fixed(Int64(clampingReal: value * Double(scale)), digits: digits)
    }

    static func signedText(_ value: Double, digits: Int) -> String {
        value < 0 ? "-" + text(-value, digits: digits) : text(value, digits: digits)
    }

    private static func fixed(_ value: Int64, digits: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<digits { scale *= 10 }
        return digits == 0 ? "\(value)" : "\(value / scale)." + padded(value % scale, digits: digits)
    }

    private static func padded(_ value: Int64, digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// A plain decimal, possibly signed; nil for anything else or more than 40 characters.
    static func number(_ text: some StringProtocol) -> Double? {
        let digits = text.utf8.first == 0x2D ? text.dropFirst() : text[...]
        guard isPlain(digits), let value = Double(String(text)), value.isFinite else { return nil }
        return value
    }

    /// Seconds as microseconds, rounded to nearest; nil for anything but a plain unsigned decimal below 10^12 s.
    static func microseconds(text: some StringProtocol) -> Int64? {
        guard isPlain(text[...]) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = Int64(String(parts[0])), whole < 1_000_000_000_000 else { return nil }
        var fraction: Int64 = 0
        if parts.count == 2 {
            let digits = (parts[1] + "0000000").utf8.prefix(7).map { Int64($0) - 0x30 }
            fraction = digits.prefix(6).reduce(0) { $0 * 10 + $1 } + (digits[6] >= 5 ? 1 : 0)
        }
        return whole * 1_000_000 + fraction
    }

    private static func isPlain(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard (1...40).contains(bytes.count), let first = bytes.first, first != 0x2E else { return false }
        var points = 0
        for byte in bytes {
            if byte == 0x2E { points += 1 } else if !(0x30...0x39).contains(byte) { return false }
        }
        return points <= 1
    }
}
