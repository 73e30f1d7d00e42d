/// Status and header fields of an answer, collected line by line within bounds.
struct ResponseHead: Sendable {
    private(set) var status = 0
    /// Names lowercased.
    private(set) var fields: [HeaderField] = []
    private(set) var isComplete = false
    private var bytes = 0

    /// Bytes of one answer's header, and lines, after which it is refused.
    static let longest = 64 << 10
    static let mostFields = 256

    enum Step: Hashable, Sendable { case more, complete, tooLarge }

    init() {}

    /// Takes one header line as curl hands it out, line end included.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Step {
        bytes &+= line.count
        guard bytes <= Self.longest else { return .tooLarge }
        // Lines after the head are trailers of a chunked body: counted, ignored.
        if isComplete { return .more }
        let text = trimmed(String(decoding: line, as: UTF8.self))
        if text.isEmpty {
            // 100 Continue and 103 Early Hints stand before the real head.
            guard status >= 200 else {
                fields.removeAll()
                return .more
            }
            isComplete = true
            return .complete
        }
        if text.hasPrefix("HTTP/") {
            let parts = text.split(separator: " ", maxSplits: 2)
            status = parts.count > 1 ? decimal(parts[1]).flatMap { Int(exactly: $0) } ?? 0 : 0
            fields.removeAll()
            return .more
        }
        guard fields.count < Self.mostFields else { return .tooLarge }
        guard let colon = text.firstIndex(of: ":") else { return .more }
        fields.append(HeaderField(text[..<colon].lowercased(), trimmed(text[text.index(after: colon)...])))
        return .more
    }

    /// The first field of that name (lowercase).
    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    var contentLength: Int64? { value("content-length").flatMap { decimal($0) } }

    var contentRange: ContentRange? { value("content-range").flatMap { ContentRange($0) } }

    var acceptsRanges: Bool { value("accept-ranges")?.lowercased() == "bytes" }

    /// Seconds form only; the date form needs a wall clock and is treated as absent.
    var retryAfter: Duration? { value("retry-after").flatMap { decimal($0) }.map { .seconds(min($0, 86_400)) } }

    /// A coding the body carries and nobody asked for; nil for none.
    var contentCoding: String? {
        guard let coding = value("content-encoding")?.lowercased(), !coding.isEmpty, coding != "identity" else {
            return nil
        }
        return coding
    }
}

/// What tells one version of a remote object from another.
struct EntityValidator: Sendable, Hashable {
    /// With its quotes; nil when absent or weak (`W/`).
    var strongTag: String?
    var lastModified: String?
    var size: Int64?

    init(strongTag: String? = nil, lastModified: String? = nil, size: Int64? = nil) {
        self.strongTag = strongTag
        self.lastModified = lastModified
        self.size = size
    }

    init(_ head: ResponseHead, size: Int64?) {
        if let tag = head.value("etag"), tag.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") { strongTag = tag }
        lastModified = head.value("last-modified")
        self.size = size
    }

    /// Whether both can be the same content, as far as what both state goes.
    func agrees(with other: EntityValidator) -> Bool {
        if let size, let otherSize = other.size, size != otherSize { return false }
        if let strongTag, let otherTag = other.strongTag { return strongTag == otherTag }
        if let lastModified, let otherModified = other.lastModified { return lastModified == otherModified }
        return true
    }

    /// The strong tag, else modification time and size together; nil where neither is known.
    var identity: String? {
        if let strongTag { return "etag:\(strongTag)" }
        guard let lastModified, let size else { return nil }
        return "modified:\(lastModified);size:\(size)"
    }
}
