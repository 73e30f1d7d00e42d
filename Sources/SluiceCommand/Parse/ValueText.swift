/// Reads option values as people write them.
public enum ValueText {
    /// `250ms`, `4s`, `1.5m`, `2h`, or seconds without a unit; nil for anything else, negative or over 10 years.
    public static func duration(_ text: String) -> Duration? {
        guard let (number, scale) = split(text, timeUnits) else { return nil }
        let seconds = number * scale
        guard seconds >= 0, seconds <= 315_360_000 else { return nil }
        return .nanoseconds(Int64((seconds * 1e9).rounded()))
    }

    /// `4096`, `10MiB`, `500kB`, `1.5GiB`; nil for anything else, negative or over 2^60.
    public static func byteSize(_ text: String) -> Int? {
        guard let (number, scale) = split(text, sizeUnits) else { return nil }
        let bytes = (number * scale).rounded()
        guard bytes >= 0, bytes <= 1_152_921_504_606_846_976 else { return nil }
        return Int(bytes)
    }

    private static let timeUnits: [(suffix: String, scale: Double)] = [
        ("ms", 0.001), ("us", 0.000_001), ("s", 1), ("m", 60), ("h", 3600), ("", 1),
    ]
    private static let sizeUnits: [(suffix: String, scale: Double)] = [
        ("KiB", 1024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("TiB", 1_099_511_627_776),
        ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12), ("B", 1), ("", 1),
    ]

    private static func split(_ text: String, _ units: [(suffix: String, scale: Double)]) -> (Double, Double)? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let digits = text.dropLast(unit.suffix.count)
            guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
                let number = Double(digits)
            else { continue }
            return (number, unit.scale)
        }
        return nil
    }

    /// Why `text` is not a `kind`, in words that follow "must be"; nil when it is.
    static func complaint(_ text: String, as kind: ValueKind) -> String? {
        switch kind {
        case .string: return text.isEmpty ? "something, not empty" : nil
        case .integer(let range):
            if let value = Int(text), range.contains(value) { return nil }
            return "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            if let value = Double(text), range.contains(value) { return nil }
            return "a number from \(range.lowerBound) to \(range.upperBound)"
        case .duration:
            guard duration(text) == nil else { return nil }
            return split(text, timeUnits) != nil ? "at most 10 years" : "a duration such as 250ms, 4s or 1.5m"
        case .byteSize:
            guard byteSize(text) == nil else { return nil }
            return split(text, sizeUnits) != nil ? "at most 2^60 bytes" : "a size such as 4096, 500kB or 10MiB"
        case .choice(let words):
            return words.contains(text) ? nil : "one of \(words.joined(separator: ", "))"
        case .keyValue:
            guard let mark = text.firstIndex(of: "="), mark != text.startIndex else { return "of the form key=value" }
            return nil
        }
    }
}
