/// Reads JSON text strictly and says where everything stands.
///
/// - Note: RFC 8259. Beyond its grammar: no byte order mark, no duplicate keys, no lone surrogates, numbers within
///   `Double`, nesting of at most 64, at most 1 MiB.
public enum JSONDocument {
    /// Arrays and objects inside each other.
    public static let maximumDepth = 64
    /// 1 MiB.
    public static let maximumBytes = 1 << 20
    /// Findings after which a hostile text is read no further.
    static let maximumFindings = 100

    /// The value in `bytes`, or nil after a `syntax` finding. Duplicate keys are found without giving up: the first
    /// counts. Keys that are canonically equivalent Unicode count as duplicates, because they compare equal later.
    ///
    /// Any bytes may be passed.
    public static func parse(_ bytes: [UInt8], file: String) -> (JSONNode?, [GraphDiagnostic]) {
        guard bytes.count <= maximumBytes else {
            let message = "text of \(bytes.count) bytes; at most \(maximumBytes) are read"
            return (nil, [GraphDiagnostic(.syntax, at: .start(of: file), message)])
        }
        var parser = JSONParser(bytes: bytes, file: file)
        return parser.parse()
    }
}
