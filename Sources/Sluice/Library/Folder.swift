import Glibc
import SluiceCore

/// Makes folders.
enum Folder {
    /// The folder and those it lies in, as far as they are not there. Blocks.
    ///
    /// - Throws: `.accessDenied` or `.notFound` where it cannot be made.
    static func make(_ directory: String) throws(NodeFailure) {
        var path = ""
        for part in directory.split(separator: "/", omittingEmptySubsequences: false) {
            path += path.isEmpty && part.isEmpty ? "/" : (path.isEmpty || path == "/" ? "" : "/") + part
            if path.isEmpty || mkdir(path, 0o755) == 0 || errno == EEXIST || errno == EISDIR { continue }
            let code: NodeFailure.Code = errno == EACCES || errno == EROFS ? .accessDenied : .notFound
            throw NodeFailure(code, "folder '\(path)': \(String(cString: strerror(errno)))")
        }
    }
}
