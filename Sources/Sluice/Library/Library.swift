import Glibc
public import SluiceCore

/// The mounted roots: the only files that requests can name.
public struct Library: Sendable {
    public struct Root: Sendable, Hashable {
        /// First path component after `/v1/`.
        public var name: String
        /// Absolute, symbolic links resolved; a directory, or a single file.
        public var path: String
        public var isDirectory: Bool
    }

    /// Deepest folder below a root that is listed, and most files that a listing holds.
    static let depthLimit = 8
    static let fileLimit = 2_000

    public private(set) var roots: [Root] = []

    public init() {}

    /// Mounts a file or a directory under its own name; a second of that name gets a number.
    ///
    /// - Throws: `.notFound` or `.accessDenied` where it cannot be resolved, `.unsupported` for what is neither a file nor
    ///   a folder, `.notMedia` for an empty file.
    public mutating func mount(_ path: String) throws(NodeFailure) {
        guard let resolved = Self.realPath(path) else { throw Self.failure(path) }
        let base = resolved.split(separator: "/").last.map(String.init) ?? "media"
        var name = base
        var number = 2
        // `/v1/url/` is where remote sources lie.
        while name == "url" || roots.contains(where: { $0.name == name }) {
            name = "\(base)-\(number)"
            number += 1
        }
        var status = stat()
        guard stat(resolved, &status) == 0 else { throw Self.failure(path) }
        try Self.check(status, path)
        roots.append(Root(name: name, path: resolved, isDirectory: status.st_mode & S_IFMT == S_IFDIR))
    }

    /// The file that `components` (root name first) mean; symbolic links may not leave the root.
    ///
    /// - Throws: `.notFound` for unknown roots and names, `.accessDenied` for what lies outside.
    public func resolve(_ components: [String]) throws(NodeFailure) -> String {
        guard let first = components.first, let root = roots.first(where: { $0.name == first }) else {
            throw NodeFailure(.notFound, "no mounted root '\(components.first ?? "")'")
        }
        let rest = components.dropFirst()
        if !root.isDirectory {
            guard rest.isEmpty else { throw NodeFailure(.notFound, "'\(first)' is a file, not a folder") }
            return root.path
        }
        guard !rest.isEmpty, rest.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.contains("/") }) else {
            throw NodeFailure(.notFound, "'\(components.joined(separator: "/"))' names no file")
        }
        let wanted = ([root.path] + rest).joined(separator: "/")
        guard let resolved = Self.realPath(wanted) else { throw NodeFailure(.notFound, "no such file in '\(first)'") }
        guard resolved.hasPrefix(root.path + "/") else {
            throw NodeFailure(.accessDenied, "'\(components.joined(separator: "/"))' leads out of its root")
        }
        return resolved
    }

    /// Path components of every regular file below the roots, sorted; at most ``fileLimit``.
    public func files() -> [[String]] {
        var list: [[String]] = []
        for root in roots {
            if root.isDirectory { Self.walk(root.path, [root.name], 0, &list) } else { list.append([root.name]) }
        }
        return list
    }

    private static func walk(_ path: String, _ names: [String], _ depth: Int, _ list: inout [[String]]) {
        guard depth < depthLimit, let directory = opendir(path) else { return }
        defer { closedir(directory) }
        var entries: [String] = []
        while let entry = readdir(directory), entries.count < fileLimit {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { entries.append(name) }
        }
        for name in entries.sorted() {
            guard list.count < fileLimit else { return }
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: walk(path + "/" + name, names + [name], depth + 1, &list)
            case S_IFREG: list.append(names + [name])
            default: continue
            }
        }
    }

    private static func check(_ status: stat, _ path: String) throws(NodeFailure) {
        switch status.st_mode & S_IFMT {
        case S_IFDIR, S_IFBLK: return
        case S_IFREG:
            guard status.st_size == 0 else { return }
            throw NodeFailure(.notMedia, "'\(path)' is empty; expected a media file or a folder")
        case S_IFIFO: throw NodeFailure(.unsupported, "'\(path)' is a pipe; expected a media file or a folder")
        default: throw NodeFailure(.unsupported, "'\(path)' is a device or a socket; expected a media file or a folder")
        }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func failure(_ path: String) -> NodeFailure {
        let denied = errno == EACCES || errno == EPERM
        return NodeFailure(denied ? .accessDenied : .notFound, "'\(path)': \(String(cString: strerror(errno)))")
    }
}
