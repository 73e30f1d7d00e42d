import Glibc
import SluiceCore

/// Whether everything written to standard output arrived.
final class OutputHealth: Sendable {
    /// The first `errno`; 0 while all is well.
    private let error = Locked<Int32>(0)

    var isLost: Bool { error.withLock { $0 } != 0 }

    func failed(_ code: Int32) { error.withLock { if $0 == 0 { $0 = code } } }

    /// Why output is missing, as a line; nil where it arrived, or where its reader went away on purpose.
    func complaint() -> String? {
        // Some file systems report a full disk only when the file is closed.
        let copy = dup(STDOUT_FILENO)
        if copy >= 0, close(copy) != 0 { failed(errno) }
        let code = error.withLock { $0 }
        guard code != 0, code != EPIPE else { return nil }
        return "write standard output: \(String(cString: strerror(code)))"
    }
}
