/// A reader a host brings along: the shape of a C I/O context, for sources Sluice does not know.
///
/// Called from one thread at a time, one that may block. No call is made while another is running, except
/// ``interrupt()``.
///
/// - Note: behaviours RD-33.
public protocol HostReader: AnyObject, Sendable {
    /// Fills the front of `buffer` from the current position and moves on. 0 at the end, negative for an error.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Moves the position (`.start`), or only tells the size (`.size`, offset 0). Negative for "cannot".
    func seek(to offset: Int64, whence: HostWhence) -> Int64
    /// Makes a ``read(into:)`` that waits return a negative number soon. Any thread.
    func interrupt()
    /// No call follows. Any thread, once.
    func close()
}

/// What the offset of a seek is counted from; the raw values are those of the C library and libavformat.
public enum HostWhence: Int32, Sendable {
    /// SEEK_SET: from the first byte.
    case start = 0
    /// AVSEEK_SIZE: move nothing, return the size in bytes.
    case size = 65_536
}

extension HostReader {
    public func interrupt() {}
    public func close() {}
}
