import Glibc
public import SluiceCore

/// A file that appears under its name only when it is complete.
///
/// Written to `<path>.part` and renamed by ``commit()``; a file that is dropped before leaves nothing behind. Every call
/// may block.
public final class OutputFile {
    private let path: String
    private var descriptor: Int32
    private var isCommitted = false

    /// - Throws: `.notFound`, `.accessDenied` or `.exhausted` where the file cannot be made.
    public init(path: String) throws(NodeFailure) {
        self.path = path
        descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure("create", path) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isCommitted { unlink(path + ".part") }
    }

    /// Appends `chunks` in order, without joining them.
    public func write(_ chunks: [ByteChunk]) throws(NodeFailure) {
        for chunk in chunks {
            let failure: NodeFailure? = chunk.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
                    let count = Glibc.write(descriptor, base, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return Self.failure("write", path) }
                    rest = rest.dropFirst(count)
                }
                return nil
            }
            if let failure { throw failure }
        }
    }

    public func commit() throws(NodeFailure) {
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw Self.failure("close", path) }
        guard rename(path + ".part", path) == 0 else { throw Self.failure("rename", path) }
        isCommitted = true
    }

    private static func failure(_ action: String, _ path: String) -> NodeFailure {
        let code: NodeFailure.Code =
            switch errno {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM, EROFS, EISDIR: .accessDenied
            case ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM: .exhausted
            default: .transport
            }
        return NodeFailure(code, "\(action) '\(path)': \(String(cString: strerror(errno)))")
    }
}
