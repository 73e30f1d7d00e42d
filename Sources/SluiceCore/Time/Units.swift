/// Text forms of durations and byte sizes as graph files and the command line write them.
public enum Units {
    /// What a text says, or why it says nothing usable.
    public enum Reading<Value: Sendable>: Sendable {
        case value(Value)
        /// Well written, but more than can be counted.
        case tooLarge
        case malformed

        var value: Value? { if case .value(let value) = self { value } else { nil } }
    }

    /// `"4s"`, `"250ms"`, `"1.5s"`, `"2m"`, `"1h"`; nil for anything else or beyond 1,000 days.
    public static func duration(_ text: String) -> Duration? { readDuration(text).value }

    /// `"128MiB"`, `"64KiB"`, `"1GiB"`, `"500B"`; binary units only, as everything in Sluice counts in them.
    public static func byteSize(_ text: String) -> Int? { readByteSize(text).value }

    /// As ``duration(_:)``, with the reason where there is none.
    public static func readDuration(_ text: String) -> Reading<Duration> {
        let units: [(suffix: String, nanoseconds: Double)] = [
            ("ms", 1e6), ("us", 1e3), ("ns", 1), ("s", 1e9), ("m", 6e10), ("h", 3.6e12),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let value = decimal(text.dropLast(unit.suffix.count)) else { return .malformed }
            let nanoseconds = value * unit.nanoseconds
            guard nanoseconds <= 86_400e12 else { return .tooLarge }
            return .value(.nanoseconds(Int64(nanoseconds.rounded())))
        }
        return .malformed
    }

    /// As ``byteSize(_:)``, with the reason where there is none.
    public static func readByteSize(_ text: String) -> Reading<Int> {
        let units: [(suffix: String, bytes: Double)] = [
            ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776), ("B", 1),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let value = decimal(text.dropLast(unit.suffix.count)) else { return .malformed }
            let bytes = (value * unit.bytes).rounded()
            return bytes <= 4_611_686_018_427_387_904 ? .value(Int(bytes)) : .tooLarge
        }
        return .malformed
    }

    /// The shortest exact form: `"4s"`, `"250ms"`, `"1us"`.
    public static func text(_ duration: Duration) -> String {
        let nanoseconds = duration.nanoseconds
        for (size, suffix) in [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")] as [(Int64, String)]
        where nanoseconds % size == 0 {
            return "\(nanoseconds / size)\(suffix)"
        }
        return "\(nanoseconds)ns"
    }

    /// The shortest exact form: `"10MiB"`, `"1536KiB"`, `"17B"`.
    public static func text(bytes: Int) -> String {
        for (size, suffix) in [(1_073_741_824, "GiB"), (1_048_576, "MiB"), (1_024, "KiB")]
        where bytes != 0 && bytes % size == 0 {
            return "\(bytes / size)\(suffix)"
        }
        return "\(bytes)B"
    }

    /// Plain decimal digits with at most one point; no sign, exponent, hex or spaces.
    private static func decimal(_ text: Substring) -> Double? {
        guard !text.isEmpty, text.utf8.count <= 300, text.utf8.first != 0x2E, text.utf8.last != 0x2E,
            text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E })
        else { return nil }
        return Double(text)
    }
}
