import Glibc
public import SluiceCore

/// A file that stays readable while somebody holds it, even after it lost its name.
public final class OpenFile: Sendable {
    /// Open for reading; closed with the last reference.
    public let descriptor: Int32
    /// In bytes, when it was opened.
    public let size: Int64

    /// - Throws: `.notFound` where it cannot be opened or is no regular file.
    public init(path: String) throws(NodeFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw NodeFailure(.notFound, "'\(path)': \(String(cString: strerror(errno)))")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw NodeFailure(.notFound, "'\(path)' is no regular file")
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// All bytes; nil where it has become shorter. Blocks.
    public func contents() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Int(clamping: size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            filled += count
        }
        return bytes
    }
}
