/// What an HTTP `Content-Range` field says: which bytes an answer carries, and of how many.
struct ContentRange: Hashable, Sendable {
    /// Offsets of the carried bytes, upper bound exclusive; nil for `bytes */n` (a 416 answer).
    var bytes: Range<Int64>?
    /// Bytes of the whole representation; nil for `*`.
    var total: Int64?

    /// Parses the field's value; nil for anything not exactly of the form.
    ///
    /// - Note: RFC 9110 §14.4.
    init?(_ value: some StringProtocol) {
        let text = trimmed(value)
        guard text.count > 6, text.prefix(5).lowercased() == "bytes" else { return nil }
        let rest = text.dropFirst(5)
        guard let first = rest.first, first == " " || first == "\t" else { return nil }
        let parts = trimmed(rest).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }

        if parts[1] == "*" {
            total = nil
        } else {
            guard let number = decimal(parts[1]) else { return nil }
            total = number
        }
        if parts[0] == "*" {
            guard total != nil else { return nil }
            bytes = nil
            return
        }
        let ends = parts[0].split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard ends.count == 2, let low = decimal(ends[0]), let high = decimal(ends[1]), low <= high, high < .max
        else { return nil }
        if let total, high >= total { return nil }
        bytes = low..<(high + 1)
    }
}

/// Values of the HTTP `Range` request field.
enum RangeHeader {
    /// `bytes=2048-6143` for 2048..<6144, `bytes=5-` without an end. `end` is exclusive.
    static func value(from start: Int64, to end: Int64? = nil) -> String {
        guard let end, end > start else { return "bytes=\(start)-" }
        return "bytes=\(start)-\(end - 1)"
    }
}

/// A number of ASCII digits only; nil when empty, signed or beyond 64 bits.
func decimal(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.count <= 19, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
}

/// Without the spaces and tabs at both ends.
func trimmed(_ text: some StringProtocol) -> String {
    let blank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" || $0 == "\r\n" }
    var slice = text[...]
    while let first = slice.first, blank(first) { slice = slice.dropFirst() }
    while let last = slice.last, blank(last) { slice = slice.dropLast() }
    return String(slice)
}
