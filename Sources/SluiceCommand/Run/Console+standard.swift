import Glibc
import SluiceCore

extension Console {
    /// Standard output and standard error of this process.
    public static func standard() -> Console { standard(OutputHealth()) }

    static func standard(_ health: OutputHealth) -> Console {
        var size = winsize()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let isSized = isTerminal && ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Console(
            output: { text in
                if !health.isLost, let code = writeAll(text, STDOUT_FILENO) { health.failed(code) }
            },
            errors: { _ = writeAll($0, STDERR_FILENO) },
            errorsAreTerminal: isTerminal,
            columns: isSized ? Int(size.ws_col) : 80, hasLostOutput: { health.isLost })
    }

    /// Writes the whole text; the `errno` of what stopped it.
    private static func writeAll(_ text: String, _ descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes -> Int32? in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count > 0 {
                    written += count
                } else if count == 0 || (errno != EINTR && !awaits(descriptor, errno)) {
                    return count == 0 ? EIO : errno
                }
            }
            return nil
        }
    }

    /// Waits where a descriptor that does not block is full; false where the error is another one.
    private static func awaits(_ descriptor: Int32, _ code: Int32) -> Bool {
        guard code == EAGAIN else { return false }
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&state, 1, -1) >= 0 || errno == EINTR
    }
}
