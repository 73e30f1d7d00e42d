import Glibc
import SluiceCore

/// Where an output really goes: links followed, what is there already looked at.
struct OutputTarget {
    /// The path behind every symbolic link; it need not exist.
    let path: String
    /// Whether something other than a regular file is there, which is written to as it stands.
    let isSpecial: Bool
    /// Permissions of the file that is replaced; nil where there is none.
    let mode: mode_t?

    /// - Throws: `.invalidOption` for a folder, a name that cannot be one, or a file that is read; `.accessDenied`.
    init(_ name: String, inputs: [String]) throws(NodeFailure) {
        guard !name.isEmpty, !name.utf8.contains(0) else {
            throw NodeFailure(.invalidOption, "output name that is empty or holds a zero byte")
        }
        path = try Self.followed(name)
        var info = stat()
        guard stat(path, &info) == 0 else {
            guard errno == ENOENT else { throw OutputFile.failure("create", name) }
            (isSpecial, mode) = (false, nil)
            return
        }
        let kind = info.st_mode & S_IFMT
        guard kind != S_IFDIR else {
            throw NodeFailure(.invalidOption, "'\(name)' is a folder; expected a file to write")
        }
        guard !OpenFiles.contains(info), !inputs.contains(where: { Self.isSame($0, info) }) else {
            throw NodeFailure(.invalidOption, "'\(name)' is the file that is read; expected another one to write")
        }
        guard access(path, W_OK) == 0 else { throw OutputFile.failure("write", name) }
        isSpecial = kind != S_IFREG
        mode = isSpecial ? nil : info.st_mode & 0o777
    }

    /// `name` with the symbolic links of its last component followed, at most 40 as the kernel does.
    private static func followed(_ name: String) throws(NodeFailure) -> String {
        var path = name
        for _ in 0..<40 {
            var info = stat()
            guard lstat(path, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { return path }
            let target = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer -> String? in
                guard let base = buffer.baseAddress else { return nil }
                let count = readlink(path, base, buffer.count)
                guard count > 0, count < buffer.count else { return nil }
                return String(
                    validating: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
                    as: UTF8.self)
            }
            guard let target else { throw OutputFile.failure("follow the link", path) }
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            path = target.hasPrefix("/") ? target : folder + target
        }
        throw NodeFailure(.invalidOption, "'\(name)': more than 40 links, one behind the other")
    }

    private static func isSame(_ input: String, _ info: stat) -> Bool {
        guard case .file(let path)? = try? SourceLocator(input) else { return false }
        var other = stat()
        return stat(path, &other) == 0 && other.st_dev == info.st_dev && other.st_ino == info.st_ino
    }
}
