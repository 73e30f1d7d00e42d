internal import Glibc
public import SluiceCore

/// A regular file or a block device of this machine.
///
/// Its size is the one at opening. A file that grew meanwhile (a recording) is read up to that size; one that shrank, or
/// was written without growing, throws `.sourceChanged`, because positions planned on it no longer mean anything.
public final class FileSource: ByteSource {
    private struct State {
        var descriptor: Int32?
        var isReading = false
        var isClosed = false
        var isInterrupted = false
    }

    private let path: String
    private let isDevice: Bool
    private let length: Int64
    private let modified: Int64
    private let opened: stat
    private let state: Locked<State>

    public var size: Int64? { length }
    public var isSeekable: Bool { true }
    public var name: String { path }
    /// `size-mtime_ns-inode`.
    public let identity: String?

    /// Bytes read between two looks at the interrupt flag.
    private static let piece = 1 << 20

    /// Throws `.notFound`, `.accessDenied`, `.unsupported` (no regular file or block device), `.exhausted`, `.transport`.
    public init(path: String) throws(NodeFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw NodeFailure(.invalidOption, "file path that is empty or holds a zero byte")
        }
        // Without O_NONBLOCK, opening a FIFO waits for its writer; on files it changes nothing.
        var descriptor: Int32
        repeat {
            descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        } while descriptor < 0
            && errno == EINTR
        guard descriptor >= 0 else { throw Self.failure(errno, "open", path) }

        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Self.failure(code, "fstat", path)
        }
        let kind = info.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFBLK else {
            Glibc.close(descriptor)
            throw NodeFailure(
                .unsupported, "\(path): \(Self.name(of: kind)); expected a regular file or a block device")
        }
        let end = kind == S_IFBLK ? Int64(lseek(descriptor, 0, SEEK_END)) : Int64(info.st_size)
        guard end >= 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw Self.failure(code, "lseek", path)
        }
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)

        self.path = path
        opened = info
        OpenFiles.add(info)
        isDevice = kind == S_IFBLK
        length = end
        modified = Self.nanoseconds(info.st_mtim)
        identity = "\(end)-\(modified)-\(info.st_ino)"
        state = Locked(State(descriptor: descriptor))
    }

    deinit {
        close()
        OpenFiles.remove(opened)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NodeFailure) -> Int {
        guard offset >= 0 else { throw NodeFailure(.invalidOption, "\(path): read at offset \(offset)") }
        let descriptor = try begin()
        defer { end(descriptor) }
        try checkUnchanged(descriptor)
        guard offset < length else { return 0 }

        let wanted = Int(min(Int64(buffer.count), length - offset))
        var done = 0
        while done < wanted {
            if done > 0, isStopped { break }
            let piece = min(wanted - done, Self.piece)
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<(done + piece)])
            let count = pread(descriptor, target.baseAddress, piece, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                if done > 0 { break }
                throw Self.failure(errno, "read at \(offset)", path)
            }
            if count == 0 {
                if done > 0 { break }
                throw changed("ends at \(offset) or before; it had \(length) bytes when opened")
            }
            done += count
        }
        return done
    }

    public func interrupt() { state.withLock { $0.isInterrupted = true } }

    public func resume() { state.withLock { $0.isInterrupted = false } }

    public func close() {
        let descriptor = state.withLock { (state: inout State) -> Int32? in
            state.isClosed = true
            // A read in flight owns the descriptor; closing it now could hand its number to somebody else.
            return state.isReading ? nil : state.descriptor.take()
        }
        if let descriptor { Glibc.close(descriptor) }
    }

    private var isStopped: Bool { state.withLock { $0.isClosed || $0.isInterrupted } }

    private func begin() throws(NodeFailure) -> Int32 {
        try state.withLock { (state: inout State) throws(NodeFailure) -> Int32 in
            guard !state.isClosed, let descriptor = state.descriptor else {
                throw NodeFailure(.cancelled, "\(path): closed")
            }
            guard !state.isInterrupted else { throw NodeFailure(.cancelled, "\(path): interrupted") }
            guard !state.isReading else {
                throw NodeFailure(.internalInvariant, "\(path): two reads at once; a source has one reader")
            }
            state.isReading = true
            return descriptor
        }
    }

    private func end(_ descriptor: Int32) {
        let left = state.withLock { (state: inout State) -> Int32? in
            state.isReading = false
            return state.isClosed ? state.descriptor.take() : nil
        }
        if let left { Glibc.close(left) }
    }

    private func checkUnchanged(_ descriptor: Int32) throws(NodeFailure) {
        guard !isDevice else { return }
        var info = stat()
        guard fstat(descriptor, &info) == 0 else { throw Self.failure(errno, "fstat", path) }
        let size = Int64(info.st_size)
        if size < length { throw changed("has \(size) bytes; it had \(length) when opened") }
        if size == length, Self.nanoseconds(info.st_mtim) != modified { throw changed("was written to while open") }
    }

    private func changed(_ what: String) -> NodeFailure { NodeFailure(.sourceChanged, "\(path): \(what)") }

    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }

    private static func failure(_ code: Int32, _ call: String, _ path: String) -> NodeFailure {
        let kind: NodeFailure.Code =
            switch code {
            case ENOENT, ENOTDIR: .notFound
            case EACCES, EPERM: .accessDenied
            case EMFILE, ENFILE, ENOMEM: .exhausted
            case ENAMETOOLONG, ELOOP: .invalidOption
            // A socket in the file system cannot be opened at all.
            case ENXIO: .unsupported
            default: .transport
            }
        return NodeFailure(kind, "\(path): \(call): \(String(cString: strerror(code)))")
    }

    private static func name(of kind: mode_t) -> String {
        switch kind {
        case S_IFDIR: "a directory"
        case S_IFIFO: "a FIFO"
        case S_IFCHR: "a character device"
        case S_IFSOCK: "a socket"
        default: "neither file nor device"
        }
    }
}
