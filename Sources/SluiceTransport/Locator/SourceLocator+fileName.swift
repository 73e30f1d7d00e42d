extension SourceLocator {
    /// For messages: the path, or the URL without user, password and query.
    public var redacted: String {
        switch self {
        case .file(let path): path
        case .web(let url): url.redacted
        }
    }

    /// The last component of the path, without query and fragment: formats without a signature are known by its
    /// extension. Empty where the path ends in a slash.
    public var fileName: String {
        let path: String =
            switch self {
            case .file(let path): path
            case .web(let url): url.path
            }
        return String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }
}
