import Glibc
public import SluiceCore

/// A file that appears under its name only when it is complete.
///
/// Written to `<path>.part` and renamed by ``commit()``; a file that is dropped before leaves nothing behind. Symbolic
/// links are followed, and what is no regular file (a device, a FIFO) is written to as it stands. Every call may block.
public final class OutputFile {
    private let path: String
    private let target: OutputTarget
    /// The name it has until it is complete; nil where it is written in place.
    private let temporary: String?
    private var descriptor: Int32
    private var isCommitted = false

    /// - Parameter inputs: paths and URLs that are read for this output: none of them is ever written to.
    /// - Throws: `.notFound`, `.accessDenied` or `.exhausted` where the file cannot be made; `.invalidOption` for a folder
    ///   and for one of `inputs`.
    public init(path: String, inputs: [String] = []) throws(NodeFailure) {
        self.path = path
        target = try OutputTarget(path, inputs: inputs)
        if target.isSpecial {
            temporary = nil
            descriptor = open(target.path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw Self.failure("open", path) }
            return
        }
        // What bears the temporary name already is somebody else's.
        var (name, number) = (target.path + ".part", 0)
        while true {
            descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, target.mode ?? 0o644)
            if descriptor >= 0 { break }
            guard errno == EEXIST, number < 1_000 else { throw Self.failure("create", path) }
            number += 1
            name = target.path + ".part\(number)"
        }
        temporary = name
        if let mode = target.mode { fchmod(descriptor, mode) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
        if !isCommitted, let temporary { unlink(temporary) }
    }

    /// Appends `chunks` in order, without joining them: as many as a system call takes go in one.
    public func write(_ chunks: [ByteChunk]) throws(NodeFailure) {
        var next = 0
        while next < chunks.count {
            let end = min(next + Self.gather, chunks.count)
            try write(chunks, next, end)
            next = end
        }
    }

    /// Appends `chunks` and empties them on the way: what is written makes room for what is read next.
    public func write(consuming chunks: inout [ByteChunk]) throws(NodeFailure) {
        while !chunks.isEmpty {
            let end = min(Self.gather, chunks.count)
            try write(chunks, 0, end)
            chunks.removeFirst(end)
        }
    }

    private func write(_ chunks: [ByteChunk], _ next: Int, _ end: Int) throws(NodeFailure) {
        var list: [iovec] = []
        list.reserveCapacity(end - next)
        let failure = write(chunks, next, end, &list)
        if let failure { throw failure }
    }

    /// Chunks in a system call: each is one level of nesting, because memory is only lent to a closure.
    private static let gather = 64

    private func write(_ chunks: [ByteChunk], _ next: Int, _ end: Int, _ list: inout [iovec]) -> NodeFailure? {
        guard next < end else { return flush(&list) }
        return chunks[next].withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, !bytes.isEmpty {
                list.append(iovec(iov_base: UnsafeMutableRawPointer(mutating: base), iov_len: bytes.count))
            }
            return write(chunks, next + 1, end, &list)
        }
    }

    private func flush(_ list: inout [iovec]) -> NodeFailure? {
        var first = 0
        while first < list.count {
            let count = list.withUnsafeBufferPointer { all in
                let rest = UnsafeBufferPointer(rebasing: all[first...])
                return writev(descriptor, rest.baseAddress, Int32(clamping: rest.count))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return Self.failure("write", path) }
            var left = count
            while first < list.count, left >= list[first].iov_len {
                left -= list[first].iov_len
                first += 1
            }
            if left > 0 {
                list[first].iov_base = list[first].iov_base.map { $0 + left }
                list[first].iov_len -= left
            }
        }
        return nil
    }

    /// Puts other bytes where the file begins, as many as were written there; a device or FIFO stays as it is.
    package func rewrite(_ bytes: [UInt8]) throws(NodeFailure) {
        guard temporary != nil else { return }
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                pwrite(descriptor, all.baseAddress.map { $0 + done }, all.count - done, off_t(done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("write", path) }
            done += count
        }
    }

    public func commit() throws(NodeFailure) {
        let closed = close(descriptor)
        descriptor = -1
        guard closed == 0 else { throw Self.failure("close", path) }
        if let temporary, rename(temporary, target.path) != 0 { throw Self.failure("rename", path) }
        isCommitted = true
    }

    static func failure(_ action: String, _ path: String) -> NodeFailure {
        let code: NodeFailure.Code =
            switch errno {
            case ENOENT: .notFound
            case ENOTDIR, EISDIR, ENAMETOOLONG, ELOOP, EINVAL: .invalidOption
            case EACCES, EPERM, EROFS: .accessDenied
            case ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM: .exhausted
            default: .transport
            }
        return NodeFailure(code, "\(action) '\(path)': \(String(cString: strerror(errno)))")
    }
}
