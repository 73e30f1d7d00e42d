public import SluiceCore

/// What a source's name points at.
public enum SourceLocator: Sendable, Hashable {
    /// A path of this machine, percent-decoded.
    case file(String)
    case web(WebURL)

    /// Reads `file:///a/b`, `file:/a/b`, plain paths, http and https URLs; refuses every other scheme.
    ///
    /// Anything of the form `letters:rest` counts as a scheme; write `./Title: part.mkv` for a relative path with a colon.
    public init(_ text: String) throws(NodeFailure) {
        guard !text.isEmpty else { throw NodeFailure(.invalidOption, "empty source locator") }
        guard !text.utf8.contains(0) else { throw NodeFailure(.invalidOption, "source locator with a zero byte") }
        guard let scheme = Self.scheme(of: text) else {
            self = .file(text)
            return
        }
        switch scheme {
        case "http", "https": self = .web(try WebURL(text))
        case "file": self = .file(try Self.path(ofFileURL: text))
        default:
            throw NodeFailure(
                .unsupported,
                "source scheme '\(scheme)'; expected a path, file, http or https (a path with a colon starts with './')"
            )
        }
    }

    /// The lowercased scheme of a URL; nil for a path.
    static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first else { return nil }
        let scheme = text[..<colon].utf8
        let isLetter: (UInt8) -> Bool = { (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) }
        guard isLetter(first), scheme.count <= 32,
            scheme.allSatisfy({ isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) })
        else { return nil }
        return text[..<colon].lowercased()
    }

    private static func path(ofFileURL text: String) throws(NodeFailure) -> String {
        var rest = text.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            let host = rest[..<slash].lowercased()
            guard host.isEmpty || host == "localhost" else {
                throw NodeFailure(.unsupported, "file URL on host '\(host)'; expected this machine")
            }
            rest = rest[slash...]
        }
        guard rest.hasPrefix("/") else {
            throw NodeFailure(.invalidOption, "file URL without an absolute path")
        }
        var bytes: [UInt8] = []
        var iterator = rest.utf8.makeIterator()
        while let byte = iterator.next() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(hexValue), let low = iterator.next().flatMap(hexValue),
                high != 0 || low != 0
            else { throw NodeFailure(.invalidOption, "file URL with a broken percent escape") }
            bytes.append(high << 4 | low)
        }
        // Bytes that are no UTF-8 cannot be a `String`; replacing them would name another file.
        guard let path = String(validating: bytes, as: UTF8.self) else {
            throw NodeFailure(.invalidOption, "file URL whose path is not UTF-8")
        }
        return path
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
