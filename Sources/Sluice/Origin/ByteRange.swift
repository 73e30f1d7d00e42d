/// What a `Range` header asks of a body of known size.
///
/// - Note: RFC 9110 §14.1.2 and §14.2. Several ranges in one header are answered with the whole, as §14.2 allows.
public enum ByteRange: Sendable, Hashable {
    /// No range, or one that is to be ignored.
    case whole
    /// Offsets of the part, never empty.
    case part(Range<Int64>)
    /// A well-formed range outside the body.
    case unsatisfiable

    public init(header: String?, size: Int64) {
        self = .whole
        guard let header, let mark = header.firstIndex(of: "="),
            header[..<mark].lowercased() == "bytes"
        else { return }
        let set = header[header.index(after: mark)...].filter { $0 != " " && $0 != "\t" }
        guard !set.contains(","), let dash = set.firstIndex(of: "-") else { return }
        let first = set[..<dash]
        let last = set[set.index(after: dash)...]
        guard first.utf8.allSatisfy(Self.isDigit), last.utf8.allSatisfy(Self.isDigit) else { return }

        if first.isEmpty {
            guard !last.isEmpty else { return }
            let length = min(Int64(last) ?? .max, size)
            self = length > 0 ? .part(size - length..<size) : .unsatisfiable
            return
        }
        let start = Int64(first) ?? .max
        let end = last.isEmpty ? Int64.max : Int64(last) ?? .max
        guard start <= end else { return }
        self = start < size ? .part(start..<min(end, size - 1) + 1) : .unsatisfiable
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}
