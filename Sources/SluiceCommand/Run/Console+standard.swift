import Glibc
import SluiceCore

extension Console {
    /// Standard output and standard error of this process.
    public static func standard() -> Console {
        var size = winsize()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let isSized = isTerminal && ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Console(
            output: { writeAll($0, STDOUT_FILENO) },
            errors: { writeAll($0, STDERR_FILENO) },
            errorsAreTerminal: isTerminal,
            columns: isSized ? Int(size.ws_col) : 80)
    }

    /// Writes the whole text; gives up where the reader is gone.
    private static func writeAll(_ text: String, _ descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
                if count > 0 {
                    written += count
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
