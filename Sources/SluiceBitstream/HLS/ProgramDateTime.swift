/// A point on the wall clock, in whole milliseconds.
///
/// - Note: RFC 8216 §4.3.2.6; written in UTC as `2026-01-02T03:04:05.678Z`.
public struct ProgramDateTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z; years 1 to 9999.
    public let milliseconds: Int64

    /// Values outside the years 1 to 9999 are moved to the nearest one inside.
    public init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    }

    public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

    public var description: String {
        let day = Self.floorDivide(milliseconds, 86_400_000)
        let time = milliseconds - day * 86_400_000
        let date = Self.civil(day: day)
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map { Self.pad($0, 2) }
        return "\(Self.pad(date.year, 4))-\(Self.pad(date.month, 2))-\(Self.pad(date.day, 2))T"
            + clock.joined(separator: ":") + "." + Self.pad(time % 1_000, 3) + "Z"
    }

    /// Reads ISO 8601 with date, time and zone (`Z`, `+01:00`, `+0100`, `+01`); without a zone UTC is taken.
    ///
    /// nil for anything else. Fractions beyond milliseconds are cut off.
    public init?(_ text: some StringProtocol) {
        var scanner = Scanner(Array(text.utf8.prefix(64)))
        guard let year = scanner.number(4), scanner.take(0x2D), let month = scanner.number(2), scanner.take(0x2D),
            let day = scanner.number(2), scanner.take(0x54) || scanner.take(0x74),
            let hour = scanner.number(2), scanner.take(0x3A), let minute = scanner.number(2), scanner.take(0x3A),
            let second = scanner.number(2), year > 0, (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 61
        else { return nil }
        let fraction = scanner.fraction()
        guard let zone = scanner.zoneMinutes(), scanner.isAtEnd else { return nil }
        let days = Self.day(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - zone * 60
        self.init(milliseconds: seconds * 1_000 + fraction)
    }

    private static func pad(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar, from years that begin in March.
    private static func day(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }

    /// Reads digits and marks; at most 64 bytes.
    private struct Scanner {
        let bytes: [UInt8]
        var offset = 0
        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { offset == bytes.count }
        var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            offset += 1
            return true
        }

        mutating func digit() -> Int64? {
            guard let byte = next, (0x30...0x39).contains(byte) else { return nil }
            offset += 1
            return Int64(byte - 0x30)
        }

        mutating func number(_ count: Int) -> Int64? {
            var value: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        mutating func fraction() -> Int64 {
            guard take(0x2E) || take(0x2C) else { return 0 }
            var value: Int64 = 0
            var weight: Int64 = 100
            while let digit = digit() {
                value += digit * weight
                weight /= 10
            }
            return value
        }

        mutating func zoneMinutes() -> Int64? {
            if isAtEnd || take(0x5A) || take(0x7A) { return 0 }
            let isNegative = next == 0x2D
            guard take(0x2B) || take(0x2D), let hours = number(2) else { return nil }
            _ = take(0x3A)
            let minutes = isAtEnd ? 0 : number(2)
            guard let minutes, hours < 24, minutes < 60 else { return nil }
            return (hours * 60 + minutes) * (isNegative ? -1 : 1)
        }
    }
}
